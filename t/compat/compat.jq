# SPDX-License-Identifier: ISC
# The calls of a release, and what its clients may rely on in the answers.
#
# A line of recording.txt is one call: who sends it ("as", the name of a value
# below), method and path, one more header, and the body; a string is CSV.  "keep"
# names values of the answer, which later calls use as @name@; @tomorrow@ is a time,
# and TOTP a code of the kept secret.  A line with "run" is a job of the companion.
# "status", "headers" and "answer" are recorded.
#
# t/http/0009-compat.sh makes the calls; t/compat.sh tests these functions.

def time: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}[.][0-9]{3}Z$";
# A member that a day names is a value, not a word of the interface.
def days: with_entries(if .key | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
    then .key = "<day>" else . end);

# What is sent: credential, method, path, body as JSON, header; a line each.
def request($kept):
	def fill: reduce ($kept | to_entries[]) as $value (.;
	    gsub("@\($value.key)@"; $value.value));
	(if .as then $kept[.as] else "" end),
	    (.call | split(" ")[] | fill),
	    (if has("body") then .body | tojson | fill else "" end),
	    (.header // "");

# The body of a text, or its type.
def answer($status; $head): {
	status: ($status | tonumber),
	headers: ([$head | split("\n")[] | ascii_downcase |
	    capture("^(?<key>x-(?:engine|ratelimit)-[a-z-]+|retry-after|www-authenticate): *(?<value>.*)$")] |
	    from_entries),
	answer: (try fromjson catch "text") };

# The values of an answer that later calls use.
def kept($call): .answer as $answer | $call.keep // {} | map_values(
    reduce (ltrimstr(".") | split(".")[]) as $step ($answer;
	if type == "object" then .[$step]
	elif type == "array" then .[$step | tonumber] else null end) // "");

# A call as it is recorded: only words of the interface and booleans keep their
# value, and of equal elements of an array there is one.
def mask:
	def is_word: IN("code", "kind", "mode", "outcome", "role", "status",
	    "type", "verdict");
	if type == "object" then days | with_entries(.key as $name | .value |=
	    if type == "string" and ($name | is_word) then . else mask end)
	elif type == "array" then map(mask) | unique
	elif type == "string" then
		if test(time) then "<time>" else "<string>" end
	elif type == "number" then "<number>"
	else . end;
def recorded: .call + if .got then
    .got | .headers |= mask | .answer |= mask else {} end;

# How an answer breaks the promise of a recorded one.  It may have more members
# and elements; null promises nothing.
def faults($want; $at):
	def differs: "\($at): was \($want), is \(tojson | .[:60])";
	if $want == null then empty
	elif $want == "<time>" then
		select((type == "string" and test(time)) | not) | differs
	elif $want == "<string>" then select(type != "string") | differs
	elif $want == "<number>" then select(type != "number") | differs
	elif type != ($want | type) then differs
	elif type == "object" then
		days | ($want | to_entries[]) as $member |
		if has($member.key) then
			.[$member.key] |
			faults($member.value; "\($at).\($member.key)")
		else "\($at).\($member.key): is missing" end
	elif type == "array" then
		$want[] as $element |
		if any(.[]; [faults($element; "")] == []) then empty
		elif . == [] then "\($at): is empty"
		else .[0] | faults($element; "\($at)[]") end
	else select(. != $want) | differs end;

# How today's answer to a call breaks the promise of the recorded one.
def broken: select(.got) | .call as $call | .got |
    faults($call | { status, headers, answer }; "\($call.as // "-") \($call.call)");

# The description of the interface without texts and examples.
def without_texts: del(.components.examples) | walk(
	if type != "object" then .
	else with_entries(select((.key | IN("description", "summary")) and
	    (.value | type) == "string" | not)) |
	    if has("schema") then del(.example, .examples) else . end end);
