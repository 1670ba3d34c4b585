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
import { toast } from "./toast.js";

// useSubmit(work): { busy, error, submit }: work may throw.  A second submit does
// nothing while the first one is under way.
export function useSubmit(work) {
	const [state, setState] = useState({ busy: false, error: null });
	const running = useRef(false);
	async function submit() {
		if (running.current)
			return;
		running.current = true;
		setState({ busy: true, error: null });
		try {
			await work();
			setState({ busy: false, error: null });
		} catch (error) {
			setState({ busy: false, error });
		} finally {
			running.current = false;
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

// Code: app says that only a code of the app will do, and no recovery code, which
// has letters; focus takes the focus when the field appears.
export function Code({ value, onInput, error, app = false, focus = true }) {
	const box = useRef(null);
	useEffect(() => {
		if (focus)
			box.current.focus();
	}, []);
	return html`<${TextField} label=${t("identity.code")} value=${value}
		onInput=${onInput} error=${error} autocomplete="one-time-code"
		hint=${t(app ? "identity.code.app" : "identity.code.hint")}
		inputmode=${app ? "numeric" : "text"} maxlength="11"
		inputRef=${box} class="mono" />`;
}

// useCode(send, lost): the state of a form with nothing but a code; lost is called
// if there is no second factor for it any more.
export function useCode(send, lost) {
	const [code, setCode] = useState("");
	const { busy, error, submit } = useSubmit(async () => {
		try {
			await send(code.trim());
		} catch (reason) {
			if (reason.code !== "SECOND_FACTOR_MISSING")
				throw reason;
			toast({ text: errorText(reason), tone: "bad" });
			lost();
		}
	});
	return { busy, submit, field: { value: code, onInput: setCode,
	    error: error && errorText(error) } };
}

// useCredentials(send): the state of a form with a password and, if the service
// asks for it, a code.
export function useCredentials(send, asksCode = false) {
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

export function CredentialFields({ form, passwordRef,
    label = t("identity.password") }) {
	return html`
		<${Password} label=${label} value=${form.password}
			onInput=${form.setPassword} error=${form.fault}
			inputRef=${passwordRef} />
		${form.wantsCode && html`<${Code} value=${form.code}
			focus=${form.password !== ""} onInput=${form.setCode} error=${form.codeFault} />`}`;
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
	const first = useRef(null);
	useEffect(() => first.current.focus(), []);
	return html`<${Dialog} title=${t("identity.confirm")} onClose=${giveUp}>
		<p>${t("identity.confirm.text")}</p>
		<${Form} onSubmit=${form.submit}>
			<input type="hidden" autocomplete="username" value=${me.email} />
			<${CredentialFields} form=${form} passwordRef=${first} />
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
