/* SPDX-License-Identifier: ISC */
/*
 * Settings of swagger-ui.  The page loads nothing from another origin (no
 * validator), takes no settings from its own URL, and forgets the credentials
 * under "Authorize" when it is closed.
 */
"use strict";

window.ui = SwaggerUIBundle({
	url: "../openapi.json",
	dom_id: "#ui",
	deepLinking: true,
	displayRequestDuration: true,
	docExpansion: "list",
	defaultModelsExpandDepth: 0,
	filter: true,
	persistAuthorization: false,
	queryConfigEnabled: false,
	tryItOutEnabled: true,
	validatorUrl: null,
});
