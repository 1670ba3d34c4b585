#!/bin/sh
# SPDX-License-Identifier: ISC
# The checks of the other scenarios of the console can fail: each sees what it looks
# for when nginx sends no content policy and the bundle takes texts for HTML.
. "$(dirname "$0")/lib.sh"
use chromium

need_chromium
start_console
text=$(printf '<img src=x onerror=document.title=1>\342\200\256gpj')
http POST /v1/lists "{\"kind\":\"watch\",\"subject\":\"user\",\"value\":\"u$text\",
    \"reason\":\"hostile\"}"
is "the hostile text is listed" "$STATUS" 201

# mutate LABEL FILE EXPRESSION: change a file with sed; it must have what changes.
mutate() {
	cp "$2" "$scratch/before"
	sed -i "$3" "$2"
	is "$1" "$(cmp -s "$scratch/before" "$2" && echo same)" ""
}
mutate "nginx sends no content policy" "$scratch/nginx/assay.conf.in" \
    '/add_header Content-Security-Policy/d'
for core in "$scratch"/console/*/core.js; do
	mutate "the bundle takes texts for HTML" "$core" \
	    's/document\.createTextNode(/textAsHtml(/'
	mutate "the bundle leaves characters that turn a text" "$core" \
	    's/return PLAIN.test(text) ?/return true ?/'
	cat >>"$core" <<'EOF'
function textAsHtml(text) {
	const box = document.createElement("span");
	box.innerHTML = text;
	return box;
}
EOF
	rm "$core.gz"
done
start_tcp_site
run_steps mutated.mjs 6 \
    '{"email":"admin@example.com","password":"correct horse"}'
finish
