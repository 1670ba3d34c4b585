// SPDX-License-Identifier: ISC
// Before the console opens: sign in, create the first admin, replace a temporary
// password, or set up the second factor that the service asks for.
import { html, useEffect, useRef, useState } from
    "../../third_party/preact/preact.js";
import { LEAST_PASSWORD, changePassword, register, session, signOut, start }
    from "../session.js";
import { errorText } from "../errors.js";
import { useSignal } from "../store.js";
import { t } from "../text.js";
import { Button, Form, TextField } from "../ui/form.js";
import { CredentialFields, Password, SignInForm, useCredentials, useSubmit } from
    "../ui/identity.js";
import { Problem } from "../ui/empty.js";
import { useModule } from "../ui/module.js";

// useNewPassword(): a new password that is typed twice.
function useNewPassword() {
	const [fresh, setFresh] = useState("");
	const [again, setAgain] = useState("");
	const [checked, setChecked] = useState(false);
	const short = fresh.length < LEAST_PASSWORD, differs = fresh !== again;
	return {
		value: fresh,
		check() {
			setChecked(true);
			return !short && !differs;
		},
		fields: html`
			<${Password} fresh label=${t("login.new")} value=${fresh}
				onInput=${setFresh} hint=${t("login.length", { n: LEAST_PASSWORD })}
				error=${checked && short && t("login.short")} />
			<${Password} fresh label=${t("login.again")} value=${again}
				onInput=${setAgain} error=${checked && !short && differs &&
				t("login.differs")} />`,
	};
}

function Register() {
	const [email, setEmail] = useState("");
	const password = useNewPassword();
	const first = useRef(null);
	useEffect(() => first.current.focus(), []);
	const { busy, error, submit } = useSubmit(() => password.check() ?
	    register({ email: email.trim(), password: password.value }) : null);
	return html`<p>${t("login.register.text")}</p>
		<${Form} onSubmit=${submit}>
			<${TextField} type="email" label=${t("identity.email")}
				value=${email} onInput=${setEmail} required inputRef=${first}
				autocomplete="username" error=${error && errorText(error)} />
			${password.fields}
			<div class="buttons"><${Button} type="submit" kind="primary"
				busy=${busy}>${t("login.register.do")}</${Button}></div>
		</${Form}>`;
}

// ChangePassword: for a temporary password, and in the account.
export function ChangePassword({ onDone = () => {}, children }) {
	const password = useNewPassword();
	const { me } = useSignal(session);
	const form = useCredentials(async (present) => {
		if (!password.check())
			return;
		await changePassword({ ...present, newPassword: password.value });
		onDone();
	}, me.secondFactor);
	return html`<${Form} onSubmit=${form.submit}>
		<input type="hidden" autocomplete="username" value=${me.email} />
		<${CredentialFields} form=${form} label=${t("login.present")} />
		${password.fields}
		<div class="buttons">${children}<${Button} type="submit" kind="primary"
			busy=${form.busy}>${t("login.change.do")}</${Button}></div>
	</${Form}>`;
}

function Temporary() {
	return html`<p>${t("login.temporary.text")}</p><${ChangePassword}>
		<${Button} onClick=${signOut}>${t("identity.signOut")}</${Button}>
	</${ChangePassword}>`;
}

// SECOND_FACTOR asks this operator for one.
function Required() {
	const { module, error, again } = useModule("enrol",
	    () => import("./enrol.js"));
	return html`<p>${t("login.enrol.text")}</p>${error && html`<${Problem}
		error=${error} reload=${again} />`}${module &&
	    html`<${module.Enrol} onDone=${start}><${Button}
		onClick=${signOut}>${t("identity.signOut")}</${Button}>
	</${module.Enrol}>`}`;
}

const PHASE_FORMS = { signIn: SignInForm, register: Register, password: Temporary,
    enrol: Required };

// SignIn phase: of session.js.
export function SignIn({ phase }) {
	const title = t(`login.${phase}`);
	useEffect(() => {
		document.title = t("title", { page: title });
	}, [title]);
	return html`<main class="alone"><div class="card login">
		<p class="brand"><span class="mark" aria-hidden="true"></span>Assay</p>
		<h1>${title}</h1><${PHASE_FORMS[phase]} /></div></main>`;
}
