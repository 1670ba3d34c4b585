-- SPDX-License-Identifier: ISC
-- Rows of the entity graph that are nobody's.

-- Kind 0: what was erased, or was put above the parts of a component that an
-- erasure took apart.  Such a row has a random key that no event can carry
-- and, in time, no links; it stays because parents, and roots that user_state
-- remembers, may name it.
alter table assay.entity drop constraint entity_kind_check;
alter table assay.entity add check (kind between 0 and 5);
