/* SPDX-License-Identifier: ISC */
/*
 * What swagger-ui shows and how.  Nothing is asked of another origin (no
 * validator), nothing comes out of this page's own URL, and what is typed at
 * "Authorize" is gone with the page.
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
