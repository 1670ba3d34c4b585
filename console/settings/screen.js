// SPDX-License-Identifier: ISC
// What admins change while the service runs: limits, the threshold of anomalies and
// the target times of queues; and what the environment fixes.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import "./text.js";
import { Loaded } from "../ui/empty.js";
import { Page } from "../ui/page.js";
import { Cli } from "../ui/copy.js";
import { Environment } from "./environment.js";
import { SettingsForm } from "./form.js";
import { Targets } from "./targets.js";

// The groups: the routes that read and write them, and their members.
const SETTING_GROUPS = [
	{ id: "rates", read: "GET /v1/config/rate-limits",
	    write: "PUT /v1/config/rate-limits",
	    names: ["decisionsPerMin", "loginPerMin"] },
	{ id: "alerts", read: "GET /v1/config/alerts",
	    write: "PUT /v1/config/alerts", names: ["anomalyZScore"] },
];

function Group({ group }) {
	const load = useLoad((signal) => call(group.read, { signal }), [group.id]);
	const [version, setVersion] = useState(0);
	return html`<${Loaded} load=${load}>${(data) => html`<${SettingsForm}
		key=${version} title=${t(`settings.${group.id}`)}
		text=${t(`settings.${group.id}.text`)} names=${group.names}
		values=${data} overridden=${data.overridden} write=${group.write}
		onSaved=${async () => {
		    await load.reload();
		    setVersion(version + 1);
		}} />`}</${Loaded}>`;
}

export default function Settings() {
	return html`<${Page} title=${t("nav.settings")} lead=${t("settings.lead")}
		actions=${html`<${Cli} words="settings show" />`}>
		<div class="columns">${SETTING_GROUPS.map((group) => html`<${Group}
			key=${group.id} group=${group} />`)}<${Targets} />
		<${Environment} /></div></${Page}>`;
}
