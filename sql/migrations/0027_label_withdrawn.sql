-- SPDX-License-Identifier: ISC
-- A chargeback can be taken back.  The label of its event then is what an analyst
-- says, else 'none', which counts nowhere.  The row stays, because consumers take
-- back what they have counted.  'none' stands in the column analyst, until an
-- analyst says something.
alter table assay.label
	drop constraint label_analyst_check,
	drop constraint label_credited_outcome_check,
	drop constraint label_risk_outcome_check,
	drop constraint label_calibrated_outcome_check,
	add check (analyst in ('fraud', 'legit', 'none')),
	add check (credited_outcome in ('fraud', 'legit', 'none')),
	add check (risk_outcome in ('fraud', 'legit', 'none')),
	add check (calibrated_outcome in ('fraud', 'legit', 'none'));
