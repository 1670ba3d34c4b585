#!/usr/bin/perl
# SPDX-License-Identifier: ISC
# Send requests to every route, most of which it must refuse, and print each other
# answer:
#
#	surface.pl CHECK SCRATCH REQUEST <CREDENTIALS
#
# CHECK is a function below.  REQUEST is the program of t/http/request.c.  SCRATCH is the directory of the scenario; its file rows has
# the route table with the columns method, path, access, scope, trail, body and type.
# CREDENTIALS are a token or a key for each name: admin, author, analyst, gone (a
# session that has ended), decisions and labels (keys of these scopes).
use strict;
use warnings;

my ($check, $scratch, $request) = @ARGV;
my %secret = map { split } <STDIN>;
my @columns = qw(method path access scope trail body type);
my %keep = map { $_ => open_file("sent/$_") } qw(http answers errors);

sub open_file {
	my ($name) = @_;
	open my $file, ">>", "$scratch/$name" or die "$name: $!\n";
	return $file;
}

# ask(ROW, CHANGE ...): send the request of the row with these changes.  token and key
# are names of credentials.  Returns its status and code, and its head.
sub ask {
	my ($row, %change) = @_;
	my %ask = (%$row, content => $row->{body} ? "{}" : "",
	    mime => "application/json", %change);
	my ($method, $path, $content) = @ask{qw(method path content)};
	my @headers = $content eq "" ? () : "Content-Type: $ask{mime}";

	push @headers, "Content-Encoding: $ask{encoding}" if $ask{encoding};
	push @headers, "Authorization: Bearer $secret{$ask{token}}" if $ask{token};
	push @headers, "X-API-Key: $secret{$ask{key}}" if $ask{key};
	my ($head, $body) = answer($method, $path, $content, @headers);
	my ($status) = $head =~ /^\S+ (\d+)/;
	my ($code) = $body =~ /"code":"(\w+)"/;
	keep($method, $path, $content, $status, $head, $body);
	return ("$status " . ($code // "without a code"), $head);
}

# answer(METHOD, PATH, CONTENT, HEADER ...): the head and the body of an answer.  A
# content may be too long for an argument.
sub answer {
	my ($method, $path, $content, @headers) = @_;
	my $file = "$scratch/content";

	open my $out, ">", $file or die "$file: $!\n";
	print $out $content;
	close $out or die "$file: $!\n";
	open my $in, "-|", $request, "$scratch/run/http.sock", $method, $path, "\@$file",
	    @headers or die "$request: $!\n";
	local $/;
	my ($head, $body) = <$in> =~ /\A(.*?\r\n\r\n)(.*)\z/s or die "no answer\n";
	return ($head, $body);
}

# refused(ROW, WHAT, WANT, CHANGE ...): ask, and print the answer unless it is WANT.
# Returns its head.
sub refused {
	my ($row, $what, $want, %change) = @_;
	my ($got, $head) = ask($row, %change);
	my %ask = (%$row, %change);

	print "$ask{method} $ask{path} $what: $got, not $want\n" if $got ne $want;
	return $head;
}

# Keep the answer for the last tests of the scenario, as http() of lib.sh does.
sub keep {
	my ($method, $path, $content, $status, $head, $body) = @_;
	my $lines = $head =~ s/\r//gr =~ s/\n+\z//r;

	print { $keep{http} } map { "$_\n" } $path, substr($content, 0, 1000), $body;
	print { $keep{answers} } "\036", join "\037", $method, $path, $content,
	    $status, $lines, $body;
	print { $keep{errors} } "\036", join "\037", $method, $path, "$head$body\n"
	    if $status >= 400;
}

sub credentials {
	my ($row) = @_;
	my @csv = $row->{type} eq "csv" ? (mime => "text/csv", content => "kind") : ();

	if ($row->{access} eq "APIKEY") {
		refused($row, "without a key", "401 INVALID_API_KEY", @csv);
		refused($row, "with a token", "401 INVALID_API_KEY", @csv,
		    token => "admin");
	} elsif ($row->{access} =~ /^(?:SESSION|OPERATOR|AUTHOR|ADMIN)$/) {
		refused($row, "without a token", "401 UNAUTHENTICATED", @csv);
		refused($row, "with a logged out token", "401 UNAUTHENTICATED", @csv,
		    token => "gone");
		refused($row, "with a key", "401 UNAUTHENTICATED", @csv,
		    key => "decisions");
	}
}

sub rights {
	my ($row) = @_;
	my @csv = $row->{type} eq "csv" ? (mime => "text/csv", content => "kind") : ();
	my %other = (DECISIONS => "labels", LABELS => "decisions");

	refused($row, "as an analyst", "403 FORBIDDEN", @csv, token => "analyst")
	    if $row->{access} =~ /^(?:AUTHOR|ADMIN)$/;
	refused($row, "as an author", "403 FORBIDDEN", @csv, token => "author")
	    if $row->{access} eq "ADMIN";
	refused($row, "with the other scope", "403 INSUFFICIENT_SCOPE", @csv,
	    key => $other{$row->{scope}})
	    if $row->{access} eq "APIKEY" && $other{$row->{scope}};
}

# Wrong bodies with the right credentials.
sub bodies {
	my ($row) = @_;
	my $path = $row->{path};
	my @right = (token => "admin");

	return unless $row->{body};
	push @right, key => lc $row->{scope} if $row->{scope} =~ /^(?:DECISIONS|LABELS)$/;
	refused($row, "with a body of text", "415 UNSUPPORTED_MEDIA_TYPE", @right,
	    mime => "text/plain");
	refused($row, "with a compressed body", "415 UNSUPPORTED_MEDIA_TYPE", @right,
	    encoding => "gzip");
	refused($row, "with too large a body", "413 PAYLOAD_TOO_LARGE", @right,
	    content => " " x ($row->{body} + 1));
	return if $row->{type} ne "json";
	refused($row, "with half a body", "400 INVALID_JSON", @right, content => '{"a":');
	return if $path eq "/v1/auth/register"; # answers 403 for every object
	my $code = $path =~ m{^/v1/decisions(?:/async)?$} ? "INGEST_INVALID" :
	    $path eq "/v1/decisions/batch" ? "INVALID_BATCH" : "INVALID_REQUEST";
	refused($row, "with an array", "400 $code", @right, content => "[]");
	refused($row, "with an unknown field", "400 INVALID_REQUEST", @right,
	    content => '{"nonsense":1}') if $path !~ m{^/v1/decisions};
}

sub methods {
	my ($row) = @_;
	my @right = (token => "admin", content => "");

	for my $method (grep { $_ ne $row->{method} } qw(PATCH OPTIONS)) {
		my $head = refused($row, "with another method",
		    "405 METHOD_NOT_ALLOWED", @right, method => $method);
		print "$row->{path} does not allow $row->{method}\n"
		    if $head !~ /^allow:.*\b$row->{method}\b/mi;
	}
	refused($row, "with a slash at its end", "404 NOT_FOUND", @right,
	    path => "$row->{path}/") if $row->{path} !~ /some-id$/;
}

# A caller of the class that access.tbl gives the route gets in, and no lesser one.
sub specified {
	my ($row) = @_;
	my ($access, $path) = @$row{qw(access path)};
	# A logout ends the session of its token.
	my %caller = (public => [], admin => [token => "admin"],
	    apikey => [key => $path =~ /labels/ ? "labels" : "decisions"],
	    operator => [token => $path =~ /logout$/ ? "author" : "analyst"]);

	refused($row, "without a key", "401 INVALID_API_KEY") if $access eq "apikey";
	refused($row, "without a token", "401 UNAUTHENTICATED")
	    if $access =~ /^(?:operator|admin)$/;
	refused($row, "as an analyst", "403 FORBIDDEN", token => "analyst")
	    if $access eq "admin";
	my ($got) = ask($row, @{ $caller{$access} });
	print "$row->{method} $path refuses $access: $got\n"
	    if $got =~ /^401 (?!INVALID_CREDENTIALS)|FORBIDDEN|SCOPE/;
}

my %checks = map { $_ => __PACKAGE__->can($_) } qw(credentials rights bodies methods specified);
my $function = $checks{$check // ""} // die "there is no check of that name\n";
open my $rows, "<", "$scratch/rows" or die "rows: $!\n";
while (<$rows>) {
	my %row;
	@row{@columns} = split;
	$function->(\%row);
}
