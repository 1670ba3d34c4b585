// SPDX-License-Identifier: ISC
// All tests of the modules, in one process: a process takes longer to start than its
// tests to run.
import { readdirSync } from "node:fs";

const here = new URL("./", import.meta.url);
for (const name of readdirSync(here))
	if (name.endsWith(".test.mjs"))
		await import(new URL(name, here));
