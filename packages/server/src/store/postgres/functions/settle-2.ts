// The function that writes the cost of ended calls and releases their holds, for a whole batch in one statement.

/** Columns of `settled_call_1`, in their order: a charge, its periods, the model for its budget within the key, and the record, which has a salt. */
export const settledCallColumns = {
  team_id: 'text',
  call_id: 'text',
  key_hash: 'text',
  model_id: 'text',
  endpoint: 'text',
  units: 'text',
  cost_nano: 'bigint',
  outcome: 'text',
  flag: 'text',
  reported: 'text',
  admitted_at: 'bigint',
  settled_at: 'bigint',
  duration_ms: 'bigint',
  team_period: 'bigint',
  key_period: 'bigint',
  budget_model: 'text',
  code: 'text',
  model_asked: 'text',
  first_byte_ms: 'bigint',
  upstream: 'text',
  upstream_key: 'text',
  session_id: 'text',
  session_source: 'text',
  parent_session: 'text',
  tool: 'text',
  user_agent: 'text',
  client_address: 'text',
  texts: 'text',
  texts_salt: 'bytea',
  texts_hash: 'bytea',
  salt: 'bytea',
  commit_hash: 'bytea',
} as const

/** A call as one value. PostgreSQL reads it in half of the time of JSON (decision 056). */
export const settledCall1 = `create type settled_call_1 as (${Object.entries(settledCallColumns)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ')})`

/**
 * `settle_2` writes a batch of the ledger. Repeating one after an ambiguous commit, or settling calls that a sweep has ended, changes
 * nothing twice: `spent` moves only by charges that were not there, `returned` only by rows of running calls that go (or, for an order that
 * has not gone to its upstream yet, by the money that its row gives up).
 *
 * It takes none of the locks of `admit_2`: an admission never waits for the disk. Each process writes the rows of `totals` of its own slot,
 * in the order of their keys, so that the settlements of two processes do not wait for each other either. The rows of running calls come
 * first, as in a sweep.
 *
 * Parameters, null if there is nothing:
 * - ended_names, 3 for each: team, call, `ends`, or `keeps` for an order, which keeps its row and its slot.
 * - settled: charges with the records of their calls.
 * - opened: JSON, streams and orders: team, call, kind, endpoint, units, progress, facts. A missing row was ended by a sweep, and stays
 *   missing.
 * - progressed: JSON, streams: team, call, units, cost, flag, reported, progress.
 */
export const settle2 = `
create or replace function settle_2(
  given_slot int,
  ended_names text[],
  settled settled_call_1[],
  opened_json json,
  progressed_json json
) returns void language plpgsql as $function$
declare
  gone running_calls[] := '{}';
  kept running_calls[] := '{}';
  inserted text[];
begin
  if opened_json is not null then
    update running_calls r
      set kind = o.kind, endpoint = o.endpoint, units = coalesce(r.units, o.units),
          progress_at = coalesce(r.progress_at, o.progress_at), facts = o.facts
      from json_to_recordset(opened_json)
        as o(team_id text, call_id text, kind text, endpoint text, units text, progress_at bigint, facts text)
      where r.team_id = o.team_id and r.call_id = o.call_id;
  end if;
  if progressed_json is not null then
    update running_calls r
      set units = p.units, cost_nano = p.cost_nano, flag = p.flag, reported = p.reported, progress_at = p.progress_at
      from json_to_recordset(progressed_json)
        as p(team_id text, call_id text, units text, cost_nano bigint, flag text, reported text, progress_at bigint)
      where r.team_id = p.team_id and r.call_id = p.call_id;
  end if;
  if ended_names is null and settled is null then return; end if;

  with ended as (
    delete from running_calls r
      using generate_series(1, cardinality(ended_names) / 3) i
      where r.team_id = ended_names[3 * i - 2] and r.call_id = ended_names[3 * i - 1] and ended_names[3 * i] = 'ends'
      returning r
  )
  select array_agg((e.r)) into gone from ended e;
  if 'keeps' = any(ended_names) then
    with before as (
      select r from generate_series(1, cardinality(ended_names) / 3) i
        join running_calls r on r.team_id = ended_names[3 * i - 2] and r.call_id = ended_names[3 * i - 1]
        where ended_names[3 * i] = 'keeps' for update of r
    ), emptied as (
      update running_calls r set amount_nano = 0, event_nano = 0
        from before b where r.team_id = (b.r).team_id and r.call_id = (b.r).call_id and r.amount_nano > 0
        returning b.r
    )
    select array_agg((e.r)) into kept from emptied e;
  end if;
  if settled is not null then
    with fresh as (
      insert into charges (team_id, call_id, key_hash, model_id, endpoint, units, cost_nano, outcome, flag, reported,
          admitted_at, settled_at, duration_ms)
        select c.team_id, c.call_id, c.key_hash, c.model_id, c.endpoint, c.units, c.cost_nano, c.outcome, c.flag, c.reported,
            c.admitted_at, c.settled_at, c.duration_ms
          from unnest(settled) c
        on conflict do nothing
        returning team_id, call_id
    )
    select array_agg(f.team_id || ' ' || f.call_id) into inserted from fresh f;
    if inserted is null or cardinality(inserted) < cardinality(settled) then
      settled := array(select c from unnest(settled) c where c.team_id || ' ' || c.call_id = any(inserted));
    end if;
    insert into calls (team_id, call_id, key_hash, endpoint, model_asked, model_served, outcome, code, units, cost_nano, flag,
        received_at, ended_at, duration_ms, first_byte_ms, upstream, upstream_key, session_id, session_source, parent_session, tool,
        user_agent, client_address, calls, last_at, texts, texts_salt, texts_hash, salt, commit_hash)
      select c.team_id, c.call_id, c.key_hash, c.endpoint, c.model_asked, c.model_id, c.outcome, c.code, c.units, c.cost_nano, c.flag,
          c.admitted_at, c.settled_at, c.duration_ms, c.first_byte_ms, c.upstream, c.upstream_key, c.session_id, c.session_source,
          c.parent_session, c.tool, c.user_agent, c.client_address, 1, c.admitted_at, c.texts, c.texts_salt, c.texts_hash, c.salt,
          c.commit_hash
        from unnest(settled) c
        where c.salt is not null
      on conflict do nothing;
  end if;

  -- What the batch adds to the event is what it adds to all teams, so that the row of the event costs little more.
  insert into totals as t (team_id, owner, slot, period_start, spent_nano, lifetime_nano, returned_nano, returned_slots, version)
    with sums as (
      select s.team_id, s.key_hash, s.model_id, s.team_period, s.key_period, sum(s.spent) as spent, sum(s.returned) as returned,
          sum(s.slots) as slots
        from (
          select c.team_id, c.key_hash, c.budget_model as model_id, c.team_period, c.key_period, c.cost_nano as spent, 0 as returned,
              0 as slots
            from unnest(settled) c
          union all
          select g.team_id, g.key_hash, g.model_id, g.team_period, g.key_period, 0, g.amount_nano, 1 from unnest(gone) g
          union all
          select k.team_id, k.key_hash, k.model_id, k.team_period, k.key_period, 0, k.amount_nano, 0 from unnest(kept) k
        ) s
        group by s.team_id, s.key_hash, s.model_id, s.team_period, s.key_period
    ), moved as (
      select m.team_id, m.owner, max(m.period) as latest, coalesce(sum(m.spent) filter (where m.period = m.latest), 0) as spent,
          sum(m.spent) as lifetime, coalesce(sum(m.returned) filter (where m.period = m.latest), 0) as returned, sum(m.slots) as slots
        from (
          select s.team_id, o.owner, o.period, s.spent, s.returned, o.slots, max(o.period) over (partition by s.team_id, o.owner) as latest
            from sums s
            cross join lateral (values
              ('team:' || s.team_id, s.team_period, 0),
              ('key:' || s.key_hash, s.key_period, s.slots),
              ('key_model:' || s.key_hash || ':' || s.model_id, s.key_period, 0)
            ) o(owner, period, slots)
            where o.owner is not null
        ) m
        group by m.team_id, m.owner
    )
    select '', 'event', given_slot, 0, e.spent, e.spent, e.returned, 0, 1
      from (
        select coalesce((select sum(m.lifetime) from moved m where m.owner = 'team:' || m.team_id), 0) as spent,
            coalesce((select sum(g.event_nano) from unnest(gone) g), 0) + coalesce((select sum(k.event_nano) from unnest(kept) k), 0) as returned
      ) e
      where e.spent <> 0 or e.returned <> 0
    union all
    select m.team_id, m.owner, given_slot, m.latest, m.spent, m.lifetime, m.returned, m.slots, 1 from moved m
    order by 1, 2
    on conflict (team_id, owner, slot) do update set
      spent_nano = case when excluded.period_start = t.period_start then t.spent_nano + excluded.spent_nano
        when excluded.period_start > t.period_start then excluded.spent_nano else t.spent_nano end,
      returned_nano = case when excluded.period_start = t.period_start then t.returned_nano + excluded.returned_nano
        when excluded.period_start > t.period_start then excluded.returned_nano else t.returned_nano end,
      period_start = greatest(t.period_start, excluded.period_start),
      lifetime_nano = t.lifetime_nano + excluded.lifetime_nano,
      returned_slots = t.returned_slots + excluded.returned_slots,
      version = t.version + 1;
end
$function$`
