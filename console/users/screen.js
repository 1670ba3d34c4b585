// SPDX-License-Identifier: ISC
// The operators: roles, passwords, second factors and sessions.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { number } from "../format.js";
import { LEAST_PASSWORD, session } from "../session.js";
import { useLoad, useSignal } from "../store.js";
import { t } from "../text.js";
import { Badge } from "../ui/badge.js";
import { useChange } from "../ui/change.js";
import { Clis } from "../ui/clis.js";
import { Cli, Ends } from "../ui/copy.js";
import { Dialog } from "../ui/dialog.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Button, Form, Select, TextField } from "../ui/form.js";
import { Password } from "../ui/identity.js";
import { Page, Section, Stat } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { Time } from "../ui/time.js";
import "./text.js";

const ROLES = ["analyst", "author", "admin"];

// What can be changed about an operator: the body, and when it is offered.
const CHANGES = [
	{ id: "endSessions", words: "users end-sessions",
	    body: { endSessions: true }, offered: ({ disabled }) => !disabled },
	{ id: "resetSecondFactor", words: "users reset-factor",
	    body: { resetSecondFactor: true },
	    offered: ({ secondFactor }) => secondFactor },
	{ id: "disable", words: "users disable",
	    body: { disabled: true }, offered: ({ disabled }) => !disabled },
	{ id: "enable", words: "users enable", body: { disabled: false },
	    offered: ({ disabled }) => disabled },
];

const OPERATOR_CHANGE = "PATCH /v1/auth/users/{email}";

function roleOptions() {
	return ROLES.map((role) => [role, t(`users.role.${role}`)]);
}

function State({ user }) {
	if (user.disabled)
		return html`<${Badge}>${t("users.disabled")}</${Badge}>`;
	return user.passwordTemporary ? html`<${Badge} tone="warn">${
	    t("users.temporary")}</${Badge}>` :
	    html`<${Badge} tone="good">${t("users.active")}</${Badge}>`;
}

// The dialog for a new operator, or for a new temporary password of one.
function PasswordDialog({ user, users, onClose, onDone }) {
	const [email, setEmail] = useState("");
	const [role, setRole] = useState("analyst");
	const [password, setPassword] = useState("");
	const [busy, change] = useChange();
	const isNew = user === null;
	async function save() {
		if (await change({ ...isNew ? { operation: "POST /v1/auth/users",
		    body: { email: email.trim(), role, password } } :
		    { operation: OPERATOR_CHANGE, body: { password },
			path: { email: user.email }, about: { users } },
		    done: t(isNew ? "users.added" : "users.password.done") }))
			onDone();
	}
	const title = isNew ? t("users.add") : t("users.password.of", user);
	return html`<${Dialog} title=${title} onClose=${onClose}>
		<${Form} onSubmit=${save}>
			${isNew && html`<${TextField} type="email" label=${t("users.email")}
				value=${email} onInput=${setEmail} required autofocus />
			<${Select} label=${t("users.role")} value=${role}
				options=${roleOptions()} onInput=${setRole}
				hint=${t(`users.role.${role}.may`)} />`}
			<${Password} fresh label=${t("users.password")} value=${password}
				onInput=${setPassword} autofocus=${!isNew}
				hint=${t("users.password.hint", { n: LEAST_PASSWORD })} />
			<div class="buttons">
				<${Cli} words=${isNew ? "users add" : "users password"}
					operands=${[isNew ? email || "EMAIL" : user.email]} />
				<${Button} onClick=${onClose}>${t("dialog.cancel")}</${Button}>
				<${Button} type="submit" kind="primary" busy=${busy}
					disabled=${password.length < LEAST_PASSWORD ||
					isNew && email.trim() === ""}>${t("users.save")}
				</${Button}></div>
		</${Form}></${Dialog}>`;
}

// The commands of what can be changed about this operator.
function linesOf(user) {
	return [{ name: t("users.role"), words: "users role",
	    operands: [user.email, user.role] },
	{ name: t("users.password.set"), words: "users password",
	    operands: [user.email] },
	...CHANGES.filter(({ offered }) => offered(user)).map(({ id, words }) =>
	    ({ name: t(`users.${id}`), words, operands: [user.email] }))];
}

// The role of an operator.  Another one is only chosen here, and given by the button.
function Role({ user, disabled, patch }) {
	const [chosen, setChosen] = useState(null);
	async function give() {
		await patch(user, { id: "role", words: "users role",
		    body: { role: chosen } });
		setChosen(null);
	}
	return html`<div class="buttons"><${Select} hideLabel
		label=${t("users.role.of", user)} value=${chosen ?? user.role}
		disabled=${disabled} options=${roleOptions()}
		onInput=${(role) => setChosen(role === user.role ? null : role)} />
		${chosen !== null && html`<${Button} disabled=${disabled}
			label=${t("users.role.give.to", user)} onClick=${give}>
			${t("users.role.give")}</${Button}>`}</div>`;
}

function columns({ me, busy, patch, setPassword }) {
	const own = (user) => user.email === me.email;
	return [
		{ id: "email", label: t("users.email"), cell: (user) =>
		    html`<${Ends} text=${user.email} most=${Infinity} />${
			own(user) && html` <span class="muted">${
			t("users.you")}</span>`}` },
		{ id: "role", label: t("users.role"), cell: (user) => html`<${Role}
		    user=${user} disabled=${busy || own(user)} patch=${patch} />` },
		{ id: "state", label: t("users.state"),
		    cell: (user) => html`<${State} user=${user} />` },
		{ id: "factor", label: t("users.factor"), cell: ({ secondFactor }) =>
		    t(secondFactor ? "users.factor.yes" : "users.factor.no") },
		{ id: "since", zoned: true, label: t("users.since"),
		    cell: ({ createdAt }) => html`<${Time} at=${createdAt} />` },
		{ id: "actions", label: t("users.actions"), align: "end",
		    cell: (user) => !own(user) && html`<div class="buttons several">
			<${Clis} lines=${linesOf(user)} />
			<${Button} disabled=${busy} onClick=${() => setPassword(user)}>
				${t("users.password.set")}</${Button}>
			${CHANGES.filter(({ offered }) => offered(user)).map((one) =>
			    html`<${Button} key=${one.id} disabled=${busy}
				onClick=${() => patch(user, one)}>
				${t(`users.${one.id}`)}</${Button}>`)}</div>` },
	];
}

export default function Users() {
	const { me } = useSignal(session);
	const load = useLoad((signal) => call("GET /v1/auth/users", { signal }), []);
	const [open, setOpen] = useState(undefined);
	const [busy, change] = useChange();
	async function patch(user, { id, words, body }) {
		if (await change({ operation: OPERATOR_CHANGE, body,
		    path: { email: user.email }, about: { users: load.data },
		    cli: { words, operands: [user.email, ...body.role ? [body.role] : []] },
		    done: t(`users.${id}.done`, user) }) !== null)
			await load.reload();
	}
	return html`<${Page} title=${t("nav.users")} lead=${t("users.lead")}
		actions=${html`<${Cli} words="users list" />
		<${Button} kind="primary" icon="plus" onClick=${() => setOpen(null)}>
			${t("users.add")}</${Button}>`}>
		<${Loaded} load=${load}>${(users) => html`
			<div class="stats">${ROLES.map((role) => html`<${Stat} key=${role}
				label=${t(`users.count.${role}`)} value=${number(users.filter(
				(user) => user.role === role && !user.disabled).length)}
				/>`)}
				<${Stat} label=${t("users.count.factor")} value=${number(
				    users.filter((user) => user.secondFactor).length)} />
			</div>
			<${Section} class="flush"><${Table} label=${t("nav.users")}
				rows=${users} keyOf=${({ email }) => email}
				columns=${columns({ me, busy, patch, setPassword: setOpen })}
				empty=${html`<${Empty} title=${t("users.none")} />`} />
			</${Section}>`}</${Loaded}>
		${open !== undefined && html`<${PasswordDialog} user=${open} users=${load.data}
			onClose=${() => setOpen(undefined)} onDone=${() => {
			    setOpen(undefined);
			    load.reload();
			}} />`}
	</${Page}>`;
}
