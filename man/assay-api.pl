#!/usr/bin/perl
# SPDX-License-Identifier: ISC
# assay-api.pl OPENAPI SOURCE: print assay-api(7).
# SOURCE is the page, in which these lines stand for parts of OPENAPI:
# @routes PREFIX...	the operations under these paths, unless another such line
#			has a longer prefix
# @errors		the errors that most operations share
# @events WORD...	the bodies that the service sends, of events that begin so
# @headers NAME...	the headers of these bodies
# @codes		the codes of errors
# @types		what several operations share
use strict;
use warnings;

# An error of more operations than these is listed once, for all.
use constant COMMON => 30;
# The page has a paragraph about this header of requests and answers.
use constant EVERYWHERE => "X-Correlation-Id";
# The page has a section with the values of this type: @codes.
use constant CODES => "ErrorCode";

my %keys;	# the names in each object of OPENAPI, in their order
my $api = parse_json(read_file($ARGV[0]));
my $source = read_file($ARGV[1]);
my @operations = find_operations();
my @all_prefixes = map { split } $source =~ /^\@routes (.*)/gm;
my %uses;	# how many places refer to each component
my %told;	# how many operations answer an error with each text
count_uses($_->{spec}) for @operations;
count_uses($api->{webhooks});
for my $answers (map { $_->{spec}{responses} } @operations) {
	$told{(follow_ref($answers->{$_}))[0]{description}}++ for names_of($answers);
}

my %parts = (
	codes => \&show_codes,
	errors => sub { show_errors(common_errors()) },
	events => \&show_events,
	headers => sub { show_list(map { show_parameter($_) }
	    map { $api->{components}{parameters}{$_} } @_) },
	routes => sub { show_routes(@_) },
	types => \&show_types,
);
$source =~ s/^\@([a-z]+)(.*)\n/join "", map { "$_\n" }
    $parts{$1}->(split " ", $2)/gme;
$_->{shown} or die "$_->{name}: no \@routes\n" for @operations;
print '.\" Made from assay-api.7.in and openapi.json.', "\n", $source;

sub read_file {
	my ($name) = @_;
	open my $file, "<", $name or die "$name: $!\n";
	local $/;
	return <$file>;
}

# A hash of Perl has no order, so %keys has it.
sub parse_json {
	local ($_) = @_;
	return parse_value();
}

sub parse_value {
	return parse_object() if /\G\s*\{/gc;
	return parse_array() if /\G\s*\[/gc;
	return parse_string() if /\G\s*"/gc;
	/\G\s*([-+.0-9eE]+|true|false|null)/gc or die "bad JSON at " . pos() . "\n";
	return $1 eq "null" ? undef : $1;
}

sub parse_object {
	my (%object, @names);
	until (/\G\s*\}/gc) {
		/\G[\s,]*"/gc or die "bad object at " . pos() . "\n";
		my $name = parse_string();
		/\G\s*:/gc or die "no colon at " . pos() . "\n";
		push @names, $name;
		$object{$name} = parse_value();
	}
	$keys{\%object} = \@names;
	return \%object;
}

sub parse_array {
	my @array;
	until (/\G\s*\]/gc) {
		push @array, parse_value();
		/\G\s*,/gc;
	}
	return \@array;
}

sub parse_string {
	/\G((?:[^"\\]|\\.)*)"/gc or die "bad string at " . pos() . "\n";
	my $text = $1;
	$text =~ s/\\n/ /g;
	$text =~ s/\\(["\\\/])/$1/g;
	return $text;
}

sub names_of {
	my ($object) = @_;
	return $object ? @{$keys{$object}} : ();
}

# The component that a reference names, and its name.
sub follow_ref {
	my ($object) = @_;
	my $ref = ref $object eq "HASH" && $object->{'$ref'} or return ($object, "");
	my (undef, @path) = split "/", $ref;
	my $target = $api;
	$target = $target->{$_} // die "no $ref\n" for @path;
	return ($target, $path[-1]);
}

sub find_operations {
	my @found;
	for my $path (names_of($api->{paths})) {
		for my $method (names_of($api->{paths}{$path})) {
			push @found, { name => uc($method) . " $path", path => $path,
			    method => uc $method, spec => $api->{paths}{$path}{$method} };
		}
	}
	return @found;
}

# Count the references in $value, and once those in each component.
sub count_uses {
	my ($value) = @_;
	if (ref $value eq "ARRAY") {
		count_uses($_) for @$value;
	} elsif (ref $value eq "HASH") {
		my $ref = $value->{'$ref'} // "";
		count_uses((follow_ref($value))[0])
		    if $ref && $ref !~ /examples/ && !$uses{$ref}++;
		count_uses($value->{$_}) for grep { !/^(?:example|discriminator)/ }
		    names_of($value);
	}
}

sub is_common {
	my ($answer) = @_;
	return $told{(follow_ref($answer))[0]{description}} > COMMON;
}

# A text of OPENAPI as lines of mdoc: a sentence begins a line, a manual is a link.
sub mdoc_text {
	my ($text) = @_;
	$text =~ s/\\/\\e/g;
	$text =~ s/\*(\w+)\*/$1/g;
	$text =~ s/`([^`]*)`/\\(oq$1\\(cq/g;
	$text =~ s/([.?!]\)?) (?=[A-Z0-9\\])/$1\n/g;
	$text =~ s/ ?\b(assay[a-z-]*)\(([1-8])\)([.,;:]?) ?/\n.Xr $1 $2 $3\n/g;
	return map { wrap_line($_) } grep { length } split /\n/, $text;
}

sub wrap_line {
	my ($line) = @_;
	return $line if $line =~ /^\.[A-Z]/;
	my @lines;
	for my $word (split " ", $line) {
		if (@lines && length("$lines[-1] $word") <= 80) {
			$lines[-1] .= " $word";
		} else {
			push @lines, $word;
		}
	}
	return map { s/^([.'])/\\&$1/r } @lines;
}

# A type that several operations share is shown once.
sub is_type {
	my ($schema) = @_;
	return ($schema->{'$ref'} // "") =~ m{/schemas/} && $uses{$schema->{'$ref'}} > 1;
}

# Whether a schema only adds conditions to the fields of another one.  The page leaves
# conditions out: the descriptions of those fields have them.
sub is_condition {
	my ($schema) = follow_ref(@_);
	my @all = @{$schema->{allOf} // []};
	return !$schema->{properties} &&
	    ($schema->{if} || (@all && !grep { !is_condition($_) } @all));
}

# The type of a schema in words, and those schemas in it whose fields are to be
# shown, each with what the name of the field gets at its end, and whether it is an
# alternative.
sub describe_type {
	my ($schema) = @_;
	my ($target, $name) = follow_ref($schema);
	return $name if is_type($schema);
	return describe_type($target) if $name;
	my @all = grep { !is_condition($_) } @{$schema->{allOf} // []};
	return describe_choice(" and ", @all) if @all;
	my $choice = $schema->{oneOf} || ($schema->{type} ? undef : $schema->{anyOf});
	return describe_choice(" or ", @$choice) if $choice;
	return describe_array($schema) if $schema->{items};
	return describe_object($schema) if $schema->{properties} ||
	    ref $schema->{additionalProperties};
	return describe_enum(@{$schema->{enum}}) if $schema->{enum};
	return describe_scalar($schema);
}

sub describe_choice {
	my ($between, @choice) = @_;
	my (@words, @fields);
	for my $schema (@choice) {
		my ($word, @more) = describe_type($schema);
		die "a choice without a type\n" if !length $word;
		push @words, $word;
		push @fields, map { [@$_[0, 1], $between eq " or "] } @more;
	}
	@words = sort { ($a eq "null") <=> ($b eq "null") } @words;
	return (join($between, @words), @fields);
}

sub describe_array {
	my ($schema) = @_;
	my ($word, @fields) = describe_type($schema->{items});
	$word =~ s/^(object|text|number)\b/$1s/;
	my $range = number_range($schema, "minItems", "maxItems");
	return ("array of " . ($range ? "$range " : "") . $word . or_null($schema),
	    map { ["[]$_->[0]", $_->[1]] } @fields);
}

sub describe_object {
	my ($schema) = @_;
	my $others = $schema->{additionalProperties};
	my ($word, @fields) = ref $others ? describe_type($others) : ();
	return ("object" . ($word ? " with values $word" : "") . or_null($schema),
	    $schema->{properties} ? ["", $schema] : (),
	    map { [".*$_->[0]", $_->[1]] } @fields);
}

sub describe_enum {
	my (@values) = @_;
	my @words = map { !defined $_ ? "null" : $_ eq "" ? "empty" :
	    /^(?:true|false|-?[0-9]+)$/ ? $_ : "`$_`" } @values;
	my $last = pop @words;
	return @words ? join(", ", @words) . " or $last" : $last;
}

sub describe_scalar {
	my ($schema) = @_;
	my %words = (string => "text", integer => "whole number", null => "null");
	my @types = ref $schema->{type} ? @{$schema->{type}} : $schema->{type} // ();
	my $text = join " or ", map { $words{$_} // $_ } @types;
	my ($prefix) = ($schema->{pattern} // "") =~ /^\^([a-z]+_)\[/;
	$text =~ s/text/text that begins with `$prefix`/ if $prefix;
	my $format = $schema->{format} // "";
	$text =~ s/text/$format eq "date" ? "day" : "time"/e if $format =~ /^date/;
	my $size = number_range($schema, "minLength", "maxLength");
	my $range = number_range($schema, "minimum", "maximum");
	return join ", ", $text, $size ? "$size characters" : (), $range || ();
}

sub or_null {
	my ($schema) = @_;
	return ref $schema->{type} && grep({ $_ eq "null" } @{$schema->{type}}) ?
	    " or null" : "";
}

sub number_range {
	my ($schema, $least, $most) = @_;
	my ($from, $to) = ($schema->{$least}, $schema->{$most});
	return "" if !defined $to && ($from // 0) <= 1;
	return "up to $to" if !defined $from || ($from == 0 && $least ne "minimum");
	return !defined $to ? "at least $from" : $from == $to ? $from : "$from to $to";
}

sub text_of {
	my ($schema) = @_;
	my ($target) = follow_ref($schema);
	return $schema->{description} // (is_type($schema) ? "" : $target->{description}) // "";
}

# One entry of a list: its head, its type, and its text.
sub show_entry {
	my ($head, $type, $text) = @_;
	$type = "" if $text =~ /^Always /;
	return (".It $head", mdoc_text(ucfirst join ". ", grep { length } $type, $text));
}

sub show_list {
	my (@entries) = @_;
	return @entries ? (".Bl -tag -width Ds -compact", @entries, ".El") : ();
}

# The fields of an object, and of the objects in it.
sub show_fields {
	my ($schema, $prefix) = @_;
	my %required = map { $_ => 1 } @{$schema->{required} // []};
	my @lines;
	for my $name (names_of($schema->{properties})) {
		my $field = $schema->{properties}{$name};
		my ($type, @fields) = describe_type($field);
		my $default = (follow_ref($field))[0]->{default} // $field->{default};
		$type .= ", default $default" if defined $default;
		$type .= ", optional" if !$required{$name};
		push @lines, show_entry("Cm $prefix$name", $type, text_of($field));
		push @lines, show_inner("$prefix$name", @fields);
	}
	return @lines;
}

# The fields of objects that are in one field, or are alternatives in it.
sub show_inner {
	my ($name, @fields) = @_;
	my @lines;
	my $which = "either";
	for my $field (@fields) {
		my $at = $name . $field->[0];
		my $text = $field->[1]{description};
		push @lines, show_entry("Cm " . ($at || $which), "", $text // "")
		    if @fields > 1 && ($text || ($at eq "" && $field->[2]));
		$which = "or";
		push @lines, show_fields($field->[1], $at eq "" ? "" : "$at.");
	}
	return @lines;
}

sub show_parameters {
	my ($operation) = @_;
	my @lines = map { show_parameter($_) } map { (follow_ref($_))[0] }
	    @{$operation->{parameters} // []};
	return @lines ? (".Pp", "Parameters:", show_list(@lines)) : ();
}

sub show_parameter {
	my ($parameter) = @_;
	return () if $parameter->{name} eq EVERYWHERE;
	my ($type) = describe_type($parameter->{schema});
	my $default = (follow_ref($parameter->{schema}))[0]->{default};
	$type .= ", default $default" if defined $default;
	$type .= ", in the $parameter->{in}" if $parameter->{in} ne "query";
	return show_entry("Cm $parameter->{name}", $type, $parameter->{description});
}

# A body, and what an answer says before its fields.
sub show_body {
	my ($title, $text, $body) = @_;
	my ($media) = names_of($body->{content});
	my ($type, @fields) = $media ? describe_type($body->{content}{$media}{schema}) : ();
	my @words = grep { !/^object(?: or object)*$/ } $type // ();
	@words = $media if $media && $media ne "application/json";
	return (".Pp", mdoc_text("$title: " . join ". ", grep { length } @words, $text),
	    show_list(show_inner("", @fields)));
}

sub show_answers {
	my ($operation) = @_;
	my @lines;
	for my $status (grep { /^2/ } names_of($operation->{responses})) {
		my ($answer) = follow_ref($operation->{responses}{$status});
		push @lines, show_body($status, $answer->{description}, $answer);
		my @headers = map { show_header($_, $answer->{headers}{$_}) }
		    names_of($answer->{headers});
		push @lines, ".Pp", "Headers:", show_list(@headers) if @headers;
	}
	return @lines;
}

sub show_header {
	my ($name, $given) = @_;
	return if $name eq EVERYWHERE;
	my ($header) = follow_ref($given);
	return show_entry("Li $name", (describe_type($header->{schema}))[0],
	    $header->{description});
}

# Errors, each with its status, its codes and its text.
sub show_errors {
	my (@errors) = @_;
	my @lines;
	for my $error (@errors) {
		my ($answer) = follow_ref($error->{answer});
		my @codes = codes_of($answer);
		my $status = $error->{status} eq "default" ? "other" : $error->{status};
		my ($body) = ($answer->{content} // {})->{"application/json"};
		my (undef, @fields) = $body ? describe_type($body->{schema}) : ();
		push @lines, show_entry(join(" ", $status, @codes ? "Er" : (),
		    join " , ", @codes), "", $answer->{description}),
		    show_list(show_inner("", @fields));
	}
	return show_list(@lines);
}

# The errors of most operations, in the order of their status.
sub common_errors {
	my %found;
	for my $answers (map { $_->{spec}{responses} } @operations) {
		for my $status (grep { !/^2/ && is_common($answers->{$_}) } names_of($answers)) {
			my $answer = (follow_ref($answers->{$status}))[0];
			$found{"$status $answer->{description}"} =
			    { status => $status, answer => $answer };
		}
	}
	return map { $found{$_} } sort keys %found;
}

sub show_codes {
	my %statuses;	# those of each code
	for my $answers (map { $_->{spec}{responses} } @operations) {
		for my $status (grep { /^[45]/ } names_of($answers)) {
			$statuses{$_} = $status for codes_of($answers->{$status});
		}
	}
	my @lines;
	for my $code (sort { ($statuses{$a} // 405) <=> ($statuses{$b} // 405) }
	    @{$api->{components}{schemas}{+CODES}{enum}}) {
		my $example = $api->{components}{examples}{$code};
		my $status = $statuses{$code} ? " No ($statuses{$code})" : "";
		push @lines, ".It Er $code$status", mdoc_text(ucfirst(
		    $example->{description} // "$example->{value}{message}."));
	}
	return (".Bl -tag -width Ds", @lines, ".El");
}

# The codes of an answer.
sub codes_of {
	my ($answer) = follow_ref(@_);
	my $examples = ($answer->{content}{"application/json"} // {})->{examples};
	return map { (follow_ref($examples->{$_}))[1] || () } names_of($examples);
}

sub show_operation {
	my ($head, $operation) = @_;
	my $answers = $operation->{responses};
	my @errors = map { { status => $_, answer => $answers->{$_} } }
	    grep { !/^2/ && !is_common($answers->{$_}) } names_of($answers);
	my @shown = show_errors(@errors);
	my $body = $operation->{requestBody};
	return (".It $head", mdoc_text("$operation->{summary}."), show_access($operation),
	    mdoc_text($operation->{description} // ""), show_parameters($operation),
	    $body ? show_body("Body", $body->{description}, $body) : (),
	    show_answers($operation), @shown ? (".Pp", "Errors:", @shown) : ());
}

sub show_access {
	my ($operation) = @_;
	return () if ($operation->{description} // "") =~ /^Only admins/;
	my ($given, $other) = @{$operation->{security} // $api->{security}};
	return $other ? () : "Public." if !$given || !names_of($given);
	my ($kind) = names_of($given);
	my ($right) = @{$given->{$kind}};
	return "For service keys of scope \\(oq$right\\(cq." if $kind eq "apiKey";
	return "For operators." if !$right;
	return $right eq "admin" ? "For admins." : "For ${right}s and admins.";
}

sub show_routes {
	my (@prefixes) = @_;
	my @lines;
	for my $operation (@operations) {
		my ($longest) = grep { index($operation->{path}, $_) == 0 }
		    sort { length $b <=> length $a } @all_prefixes;
		next if !grep { $_ eq ($longest // "") } @prefixes;
		$operation->{shown} = 1;
		push @lines, show_operation("Ic $operation->{method} Pa $operation->{path}",
		    $operation->{spec});
	}
	@lines or die "no operation: @prefixes\n";
	return (".Bl -tag -width Ds", @lines, ".El");
}

# The bodies that the service sends to subscribers.
sub show_events {
	my ($words) = join "|", @_;
	my @lines;
	for my $name (grep { /^(?:$words)\./ } names_of($api->{webhooks})) {
		my $event = $api->{webhooks}{$name}{post};
		push @lines, ".It Ql $name", mdoc_text("$event->{summary}."),
		    show_body("Body", "", $event->{requestBody});
	}
	return (".Bl -tag -width Ds", @lines, ".El");
}

sub show_types {
	my @lines;
	for my $name (sort { $a cmp $b } names_of($api->{components}{schemas})) {
		my $schema = $api->{components}{schemas}{$name};
		next if ($uses{"#/components/schemas/$name"} // 0) < 2 ||
		    $name eq CODES || is_condition($schema);
		my ($type, @fields) = describe_type($schema);
		my @inner = show_list(show_inner("", @fields));
		$type = "" if $type =~ /^object(?: or object)+$/;
		push @lines, show_entry("Vt $name", $type, $schema->{description} // ""), @inner;
	}
	return (".Bl -tag -width Ds", @lines, ".El");
}
