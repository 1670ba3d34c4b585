// SPDX-License-Identifier: ISC
// The texts of charts.
import { addText } from "../text.js";

addText({
	"chart.table": "Show as a table",
	"chart.series": "Series",
	"chart.count": "Count",
	"chart.share": "Share",
});
