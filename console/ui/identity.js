// SPDX-License-Identifier: ISC
// The forms that ask who the operator is: signing in, signing in again over the
// page, confirming with the password, and the end of the session.
import { html, useEffect, useRef, useState } from
    "../../third_party/preact/preact.js";
import { errorText } from "../errors.js";
import { confirm, endsIn, extend, giveUp, question, session, signIn, signOut }
    from "../session.js";
import { useSignal } from "../store.js";
import { t } from "../text.js";
import { Dialog } from "./dialog.js";
import { Button, Form, TextField } from "./form.js";
import { Note } from "./page.js";

// useSubmit(work): { busy, error, submit }: work may throw.
export function useSubmit(work) {
	const [state, setState] = useState({ busy: false, error: null });
	async function submit() {
		setState({ busy: true, error: null });
		try {
			await work();
			setState({ busy: false, error: null });
		} catch (error) {
			setState({ busy: false, error });
		}
	}
	return { ...state, submit };
}

export function Password({ label, value, onInput, fresh = false, ...rest }) {
	return html`<${TextField} type="password" label=${label} value=${value}
		onInput=${onInput} required
		autocomplete=${fresh ? "new-password" : "current-password"}
		...${rest} />`;
}

export function Code({ value, onInput, error }) {
	const box = useRef(null);
	useEffect(() => box.current.focus(), []);
	return html`<${TextField} label=${t("identity.code")} value=${value}
		onInput=${onInput} error=${error} hint=${t("identity.code.hint")}
		autocomplete="one-time-code" inputmode="numeric" maxlength="11"
		inputRef=${box} class="mono" />`;
}

// useCredentials(send): the state of a form with a password and, if the service
// asks for it, a code.
function useCredentials(send, asksCode = false) {
	const [password, setPassword] = useState("");
	const [code, setCode] = useState("");
	const [wantsCode, setWantsCode] = useState(asksCode);
	const { busy, error, submit } = useSubmit(async () => {
		try {
			await send({ password, ...wantsCode && { code: code.trim() } });
		} catch (reason) {
			if (reason.code !== "CODE_REQUIRED" || wantsCode)
				throw reason;
			setWantsCode(true);
		}
	});
	const codeWrong = ["CODE_WRONG", "CODE_REQUIRED"].includes(error?.code);
	return { password, setPassword, code, setCode, wantsCode, busy, submit,
	    codeFault: codeWrong ? errorText(error) : null,
	    fault: error !== null && !codeWrong ? errorText(error) : null };
}

function CredentialFields({ form, passwordRef }) {
	return html`
		<${Password} label=${t("identity.password")} value=${form.password}
			onInput=${form.setPassword} error=${form.fault}
			inputRef=${passwordRef} />
		${form.wantsCode && html`<${Code} value=${form.code}
			onInput=${form.setCode} error=${form.codeFault} />`}`;
}

// SignInForm: email fixes who signs in.
export function SignInForm({ email: fixed, children }) {
	const [email, setEmail] = useState(fixed ?? "");
	const form = useCredentials((body) => signIn({ email: email.trim(),
	    ...body }));
	const first = useRef(null);
	useEffect(() => first.current.focus(), []);
	return html`<${Form} onSubmit=${form.submit}>
		<${TextField} type="email" label=${t("identity.email")} value=${email}
			onInput=${setEmail} autocomplete="username" required
			readonly=${fixed !== undefined}
			inputRef=${fixed === undefined ? first : undefined} />
		<${CredentialFields} form=${form}
			passwordRef=${fixed === undefined ? undefined : first} />
		<div class="buttons">${children}
			<${Button} type="submit" kind="primary" busy=${form.busy}>
				${t("identity.signIn")}</${Button}></div>
	</${Form}>`;
}

// The session ended while the page was open.
function Locked({ email }) {
	return html`<${Dialog} title=${t("identity.locked")} opaque>
		<p>${t("identity.locked.text")}</p>
		<${SignInForm} email=${email}>
			<${Button} onClick=${() => location.reload()}>
				${t("identity.other")}</${Button}>
		</${SignInForm}>
	</${Dialog}>`;
}

function Confirm({ me }) {
	const form = useCredentials(confirm, me.secondFactor === true);
	return html`<${Dialog} title=${t("identity.confirm")} onClose=${giveUp}>
		<p>${t("identity.confirm.text")}</p>
		<${Form} onSubmit=${form.submit}>
			<input type="hidden" autocomplete="username" value=${me.email} />
			<${CredentialFields} form=${form} />
			<div class="buttons">
				<${Button} onClick=${giveUp}>${t("dialog.cancel")}</${Button}>
				<${Button} type="submit" kind="primary" busy=${form.busy}>
					${t("identity.confirm.do")}</${Button}></div>
		</${Form}>
	</${Dialog}>`;
}

function Ending({ seconds }) {
	return html`<${Dialog} title=${t("identity.ending")} onClose=${extend}>
		<${Note} tone="warn">${t("identity.ending.text", { n: seconds })}
		</${Note}>
		<div class="buttons">
			<${Button} onClick=${signOut}>${t("identity.signOut")}</${Button}>
			<${Button} kind="primary" onClick=${extend}>
				${t("identity.stay")}</${Button}></div>
	</${Dialog}>`;
}

// The app shows this once: whatever the session has to ask.
export function Identity() {
	const { phase, me } = useSignal(session);
	const asked = useSignal(question);
	const seconds = useSignal(endsIn);
	if (phase === "locked")
		return html`<${Locked} email=${me.email} />`;
	if (asked !== null)
		return html`<${Confirm} me=${me} />`;
	return seconds !== null && phase === "open" &&
	    html`<${Ending} seconds=${seconds} />`;
}
