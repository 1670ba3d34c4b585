// SPDX-License-Identifier: ISC
// The texts of the audit trail.
import { addText } from "../text.js";

// An action in the past, and as one that was tried: "|" ends the first verb.  A second
// word after the path: the text if the parameters have it.
addText({
	"audit.do.POST /v1/auth/register": "registered|register as the first admin",
	"audit.do.POST /v1/auth/login": "signed|sign in",
	"audit.do.POST /v1/auth/login failures":
	    "signed|sign in and failed, {failures} times in that hour",
	"audit.do.POST /v1/auth/refresh": "renewed|renew the session",
	"audit.do.POST /v1/auth/password": "changed|change their password",
	"audit.do.POST /v1/auth/confirm": "confirmed|confirm their password",
	"audit.do.POST /v1/auth/logout": "signed|sign out",
	"audit.do.POST /v1/auth/logout-all": "signed|sign out everywhere",
	"audit.do.POST /v1/auth/second-factor": "began|begin to set up a second factor",
	"audit.do.POST /v1/auth/second-factor/enable": "enabled|enable a second factor",
	"audit.do.POST /v1/auth/second-factor/disable":
	    "disabled|disable their second factor",
	"audit.do.POST /v1/auth/users": "added|add the operator {email}",
	"audit.do.POST /v1/auth/users role": "added|add the operator {email} as {role}",
	"audit.do.PATCH /v1/auth/users/{email}": "changed|change the operator {email}",
	"audit.do.PATCH /v1/auth/users/{email} role":
	    "gave|give the operator {email} the role {role}",
	"audit.do.PATCH /v1/auth/users/{email} disabled":
	    "disabled|disable the operator {email}",
	"audit.do.PATCH /v1/auth/users/{email} endSessions":
	    "ended|end the sessions of the operator {email}",
	"audit.do.PATCH /v1/auth/users/{email} password":
	    "set|set another password for the operator {email}",
	"audit.do.PATCH /v1/auth/users/{email} resetSecondFactor":
	    "removed|remove the second factor of the operator {email}",
	"audit.do.POST /v1/apikeys": "created|create the service key {name}",
	"audit.do.POST /v1/apikeys/{id}/revoke": "revoked|revoke the service key {id}",
	"audit.do.POST /v1/cases/{id}/assign": "took|take the case {id}",
	"audit.do.POST /v1/cases/{id}/hand-over": "handed|hand the case {id} over to {to}",
	"audit.do.POST /v1/cases/{id}/release": "released|release the case {id}",
	"audit.do.POST /v1/cases/{id}/snooze": "woke|wake the case {id}",
	"audit.do.POST /v1/cases/{id}/snooze until": "snoozed|snooze the case {id}",
	"audit.do.POST /v1/cases/{id}/notes": "wrote|write a note on the case {id}",
	"audit.do.POST /v1/cases/{id}/resolve":
	    "resolved|resolve the case {id} as {outcome}",
	"audit.do.POST /v1/cases/{id}/reopen": "reopened|reopen the case {id}",
	"audit.do.POST /v1/cases/next": "asked|ask for the next case",
	"audit.do.POST /v1/cases/resolve": "resolved|resolve several cases as {outcome}",
	"audit.do.PUT /v1/queues/{name}": "removed|remove the target time of {name}",
	"audit.do.PUT /v1/queues/{name} targetMinutes":
	    "set|set the target time of {name} to {targetMinutes} minutes",
	"audit.do.POST /v1/views": "saved|save the view {name}",
	"audit.do.DELETE /v1/views/{id}": "deleted|delete the view {id}",
	"audit.do.POST /v1/model/shadow": "started|start a model as a shadow",
	"audit.do.POST /v1/model/shadow/promote": "promoted|promote the shadow of the model",
	"audit.do.POST /v1/model/shadow/promote eventType":
	    "promoted|promote the shadow of {eventType}",
	"audit.do.POST /v1/model/shadow/rollout":
	    "changed|change the rollout of the shadow of the model",
	"audit.do.POST /v1/model/shadow/rollout eventType":
	    "changed|change the rollout of the shadow of {eventType}",
	"audit.do.POST /v1/model/shadow/end": "ended|end the shadow of the model",
	"audit.do.POST /v1/model/shadow/end eventType": "ended|end the shadow of {eventType}",
	"audit.do.POST /v1/rules":
	    "published|publish the version {version} of the rules of {eventType}",
	"audit.do.POST /v1/rules shadow":
	    "started|start the version {version} of the rules of {eventType} as a shadow",
	"audit.do.POST /v1/rules/{eventType}/rollback":
	    "rolled|roll the rules of {eventType} back to {toVersion}",
	"audit.do.POST /v1/policies":
	    "published|publish the version {version} of the policy {id}",
	"audit.do.POST /v1/policies/{id}/rollback":
	    "rolled|roll the policy {id} back to {toVersion}",
	"audit.do.POST /v1/backtest/{id}/cancel": "cancelled|cancel the backtest {id}",
	"audit.do.POST /v1/config": "applied|apply a configuration",
	"audit.do.POST /v1/config rehearse": "rehearsed|rehearse a configuration",
	"audit.do.PUT /v1/config/rate-limits": "changed|change the rate limits",
	"audit.do.PUT /v1/config/alerts": "changed|change the threshold of anomalies",
	"audit.do.PUT /v1/config/retention": "changed|change how long data is kept",
	"audit.do.POST /v1/config/retention/run": "ran|run retention",
	"audit.do.POST /v1/exceptions": "made|make an exception from the {kind} {name} " +
	    "for the {subject} {value}",
	"audit.do.POST /v1/exceptions/{id}/end": "ended|end the exception {id}",
	"audit.do.POST /v1/redecisions": "began|begin to decide past events again",
	"audit.do.POST /v1/redecisions act":
	    "began|begin to decide past events again, and to act on up to {act} of them",
	"audit.do.POST /v1/redecisions/{id}/cancel": "cancelled|cancel the redecision {id}",
	"audit.do.POST /v1/lists": "put|put the {subject} {value} on the {kind} list",
	"audit.do.POST /v1/lists/import": "imported|import list entries",
	"audit.do.POST /v1/lists/import added":
	    "imported|import list entries: {added} added, {updated} changed",
	"audit.do.DELETE /v1/lists/{id}": "removed|remove the list entry {id}",
	"audit.do.POST /v1/proposals": "proposed|propose to {what}",
	"audit.do.POST /v1/proposals/{id}/approve":
	    "approved|approve the proposal {id}",
	"audit.do.POST /v1/proposals/{id}/approve author":
	    "approved|approve the proposal of {author} to {what}",
	"audit.do.POST /v1/proposals/{id}/reject": "rejected|reject the proposal {id}",
	"audit.do.POST /v1/proposals/{id}/withdraw": "withdrew|withdraw the proposal {id}",
	"audit.do.POST /v1/graph/reveal": "looked|look at the {subject} {value}",
	"audit.do.POST /v1/graph/reveal userId":
	    "looked|look at the {subject} {value} of the user {userId}",
	"audit.do.POST /v1/webhooks": "added|add a webhook to {url}",
	"audit.do.POST /v1/webhooks/{id}/revoke": "revoked|revoke the webhook {id}",
	"audit.do.POST /v1/webhooks/deliveries/redrive":
	    "sent|send the dead letters of webhooks again",
	"audit.do.POST /v1/webhooks/deliveries/{id}/redrive":
	    "sent|send the dead letter {id} again",
	"audit.do.POST /v1/notifications": "added|add an alert channel to {url}",
	"audit.do.POST /v1/notifications/{id}/revoke": "revoked|revoke the channel {id}",
	"audit.do.POST /v1/notifications/{id}/test": "tested|test the channel {id}",
	"audit.do.POST /v1/notifications/deliveries/redrive":
	    "sent|send the dead letters of alerts again",
	"audit.do.POST /v1/notifications/deliveries/{id}/redrive":
	    "sent|send the dead letter {id} again",
	"audit.do.POST /v1/privacy/erase": "erased|erase the data of the user {userId}",
	"audit.do.POST /v1/privacy/erase rehearse":
	    "looked|look at what is stored of the user {userId}",
	"audit.do.POST /v1/labels/chargeback":
	    "took|take back the chargeback of the event {eventId}",
	"audit.do.assayctl": "ran|run {what} on the database",
	"audit.tried": "tried to {what}",
	"audit.lead": "Every change by an operator, each look at what the console masks, " +
	    "and every change that the service refused. Entries cannot be altered.",
	"audit.actor": "Who",
	"audit.action": "Did what",
	"audit.status": "Status",
	"audit.params": "Parameters",
	"audit.filters": "Filters",
	"audit.contains": "Who, what or which",
	"audit.contains.hint": "A part of a name, of a request such as /resolve, or of an id",
	"audit.since": "Since",
	"audit.until": "Until",
	"audit.none": "No entries.",
});
