// SPDX-License-Identifier: ISC
// Lint a description of an HTTP interface with redocly's rules:
//
//	node openapi.mjs MODULES CONFIG FILE
//
// CONFIG is t/node/redocly.yaml.  Prints one line for each fault.
import { createRequire } from "node:module";

const [modules, configPath, ref] = process.argv.slice(2);
const { lint, loadConfig } = createRequire(modules + "/")("@redocly/openapi-core");
for (const { ruleId, message, location: [{ pointer }] } of
    await lint({ ref, config: await loadConfig({ configPath }) }))
	console.log(`${pointer}: ${message} (${ruleId})`);
