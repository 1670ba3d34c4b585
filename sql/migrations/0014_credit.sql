-- SPDX-License-Identifier: ISC
-- Credit may have to wait for others who hold a tag's counts, also where it
-- only moves: such labels are looked for like those without a decision.
drop index assay.label_look_at_idx;
create index on assay.label (look_at)
    where credited is null or credited <> outcome;
