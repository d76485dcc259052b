// The functions for one call at a time, which is what a server at rest has: they admit and settle the usual call, with few and plain statements.

/**
 * `admit_one_2` admits one call as `admit_2` does, or answers `3` and has done nothing: where it would be refused, where something is not
 * as usual (a state that does not exist yet, another period, no lease, limits that are being recovered). `admit_2` then decides.
 *
 * It takes the same locks and keeps the same states, described there; that it agrees is what one simulation shows of both. `admit_2` costs
 * about twice as much for one call: its sets, its arrays by level and the words of its refusals pay off from a few calls on.
 *
 * Parameters:
 * - given_locks, token_changes: as those of `admit_2`.
 * - level_names, 2 for each level: team, name. Those with windows of the call come first.
 * - level_numbers, 10 for each level: kind, milliseconds that share an entry of requests, start of the period (-1: only its tokens change),
 *   its end or null, the first of its token changes (0: none), whether it is answered, requests or null, tokens or null, tokens
 *   wanted, maximum of the budget or null.
 * - call_names: call, team, key, model or null, kind.
 * - call_numbers: slots, amount, whether budgets are asked (0, 1), whether the request counts, whether it takes tokens, tokens to note, starts of the
 *   periods of team and key, whether it holds money of the event.
 *
 * Answers numbers as text: 0, now, the last change of the directory; for each level that is answered requests, ms until it is empty, tokens,
 * ms until it is empty.
 */
export const admitOne2 = `
create or replace function admit_one_2(
  given_process text,
  given_locks bigint[],
  level_names text[],
  level_numbers bigint[],
  token_changes bigint[],
  call_names text[],
  call_numbers bigint[]
) returns text language plpgsql as $function$
declare
  levels constant int := cardinality(level_names) / 2;
  changes constant int := cardinality(token_changes) / 3;
  amount constant bigint := call_numbers[2];
  counts_request constant boolean := call_numbers[4] = 1;
  takes_tokens constant boolean := call_numbers[5] = 1;
  now_ms bigint;
  directory bigint;
  is_usual boolean;
  states limit_states[];
  state limit_states;
  at int;
  kind bigint;
  starts bigint;
  spent bigint;
  returned bigint;
  slots bigint;
  latest bigint;
  ring bigint[];
  entry bigint;
  entry_at bigint;
  first int;
  position int;
  change int;
  count bigint;
  added bigint;
  empty_at bigint;
  answer text;
begin
  for i in 1..cardinality(given_locks) loop
    perform pg_advisory_xact_lock(given_locks[i]);
  end loop;

  select limits_clock_1(), coalesce((select d.version from directory_version d order by d.version desc limit 1), 0),
      exists (select from limits_epoch e where e.process_id = '')
        and exists (select from limits_epoch e where e.process_id = given_process)
        and exists (select from processes p where p.process_id = given_process
          and p.lease_until > extract(epoch from clock_timestamp()) * 1000)
    into now_ms, directory, is_usual;
  if not is_usual then return '3'; end if;

  for i in 1..levels loop
    select s.* into state from limit_states s where s.team_id = level_names[2 * i - 1] and s.level = level_names[2 * i];
    if not found then return '3'; end if;
    if state.counted_at > now_ms then now_ms := state.counted_at; end if;
    states[i] := state;
  end loop;

  answer := '0,' || now_ms || ',' || directory;
  for i in 1..levels loop
    at := 10 * i - 9;
    state := states[i];
    kind := level_numbers[at];
    starts := level_numbers[at + 2];

    if kind > 0 and starts >= 0 then
      select greatest(coalesce(sum(o.spent_nano) filter (where o.period_start = starts), 0), 0),
          coalesce(sum(o.returned_nano) filter (where o.period_start = starts), 0),
          coalesce(sum(o.returned_slots), 0), max(o.period_start)
        into spent, returned, slots, latest
        from totals o where o.team_id = level_names[2 * i - 1] and o.owner = level_names[2 * i];
      if latest > starts or state.period_start > starts or level_numbers[at + 3] <= now_ms then return '3'; end if;
      if state.period_start < starts then
        state.period_start := starts;
        state.taken_nano := 0;
      end if;
      if call_numbers[3] = 1 and amount > level_numbers[at + 9] - spent - greatest(state.taken_nano - returned, 0) then
        return '3';
      end if;
      state.taken_nano := state.taken_nano + amount;
      if kind = 2 then
        if greatest(state.taken_slots - slots, 0) >= call_numbers[1] then return '3'; end if;
        state.taken_slots := state.taken_slots + 1;
      end if;
    end if;

    ring := state.request_ring;
    first := 1;
    position := cardinality(ring);
    while first <= position loop
      entry := ring[first];
      exit when state.counted_at - ((state.counted_at - entry) & 131071) + 60000 > now_ms;
      state.requests := state.requests - (entry >> 17);
      first := first + 1;
    end loop;
    if first > 1 then
      ring := ring[first:];
      position := cardinality(ring);
    end if;
    if counts_request and level_numbers[at + 6] is not null then
      if state.requests >= level_numbers[at + 6] then return '3'; end if;
      state.requests := state.requests + 1;
      entry := ring[position];
      if (now_ms - ((now_ms - entry) & 131071)) / level_numbers[at + 1] = now_ms / level_numbers[at + 1] then
        ring[position] := (((entry >> 17) + 1) << 17) | (now_ms & 131071);
      else
        position := position + 1;
        ring[position] := (1 << 17) | (now_ms & 131071);
      end if;
    end if;
    state.request_ring := ring;
    if level_numbers[at + 5] = 1 then
      empty_at := case when position = 0 then 0 else 60000 - ((now_ms - ring[position]) & 131071) end;
      answer := answer || ',' || state.requests || ',' || empty_at;
    end if;

    ring := state.token_ring;
    first := 1;
    position := cardinality(ring);
    while first <= position loop
      entry := ring[first];
      exit when state.counted_at - ((state.counted_at - entry) & 131071) + 60000 > now_ms;
      state.tokens := state.tokens - (entry >> 17);
      first := first + 1;
    end loop;
    if first > 1 then
      ring := ring[first:];
    end if;
    added := null;
    change := level_numbers[at + 4];
    while change between 1 and changes and token_changes[3 * change - 2] = i loop
      count := token_changes[3 * change];
      if token_changes[3 * change - 1] is null then
        added := coalesce(added, 0) + count;
      else
        position := cardinality(ring);
        while position > 0 loop
          entry := ring[position];
          entry_at := (now_ms - ((now_ms - entry) & 131071)) / 1000;
          if entry_at = token_changes[3 * change - 1] then
            count := greatest(count, -(entry >> 17));
            ring[position] := entry + (count << 17);
            state.tokens := state.tokens + count;
          end if;
          exit when entry_at <= token_changes[3 * change - 1];
          position := position - 1;
        end loop;
      end if;
      change := change + 1;
    end loop;
    if takes_tokens and level_numbers[at + 7] is not null then
      if state.tokens + coalesce(added, 0) + level_numbers[at + 8] > level_numbers[at + 7] then return '3'; end if;
      added := coalesce(added, 0) + level_numbers[at + 8];
    end if;
    if added is not null then
      state.tokens := state.tokens + added;
      position := cardinality(ring);
      entry := ring[position];
      if (now_ms - ((now_ms - entry) & 131071)) / 1000 = now_ms / 1000 then
        ring[position] := (((entry >> 17) + added) << 17) | (now_ms & 131071);
      else
        ring[position + 1] := (added << 17) | (now_ms & 131071);
      end if;
    end if;
    state.token_ring := ring;
    if level_numbers[at + 5] = 1 then
      position := cardinality(ring);
      while position > 0 and ring[position] >> 17 = 0 loop
        position := position - 1;
      end loop;
      empty_at := case when position = 0 then 0 else 60000 - ((now_ms - ring[position]) & 131071) end;
      answer := answer || ',' || state.tokens || ',' || empty_at;
    end if;
    states[i] := state;
  end loop;

  update limit_states s set counted_at = now_ms, requests = u.requests, tokens = u.tokens,
      period_start = u.period_start, taken_nano = u.taken_nano, taken_slots = u.taken_slots,
      request_ring = u.request_ring, token_ring = u.token_ring
    from unnest(states) u
    where s.team_id = u.team_id and s.level = u.level;
  insert into running_calls (team_id, call_id, process_id, kind, key_hash, model_id, admitted_at, team_period, key_period,
      amount_nano, event_nano, reserved_tokens)
    values (call_names[2], call_names[1], given_process, call_names[5], call_names[3], call_names[4], now_ms,
      call_numbers[7], call_numbers[8], amount, amount * call_numbers[9], call_numbers[6]);
  return answer;
end
$function$`

/**
 * `settle_one_2` writes one charge with its record, as `settle_2` does, and ends its call. It answers false and has done nothing where the call
 * was admitted in other periods, or on another model, than the charge says: `settle_2` then writes it. Parameters: the slot, the
 * columns of `charges`, the periods of team and key, the model in whose budget of the key it counts, and the row of `calls` as JSON or null.
 */
export const settleOne2 = `
create or replace function settle_one_2(
  given_slot int,
  given_team text,
  given_call text,
  given_key text,
  given_model text,
  given_endpoint text,
  given_units text,
  given_cost bigint,
  given_outcome text,
  given_flag text,
  given_reported text,
  given_admitted bigint,
  given_settled bigint,
  given_duration bigint,
  given_team_period bigint,
  given_key_period bigint,
  budget_model text,
  record_json json
) returns boolean language plpgsql as $function$
declare
  gone running_calls;
  is_gone boolean;
  is_fresh boolean;
begin
  delete from running_calls r
    where r.team_id = given_team and r.call_id = given_call
      and r.team_period = given_team_period and r.key_period = given_key_period and r.model_id = budget_model
    returning r.* into gone;
  is_gone := found;
  if not is_gone and exists (select from running_calls r where r.team_id = given_team and r.call_id = given_call) then
    return false;
  end if;
  insert into charges (team_id, call_id, key_hash, model_id, endpoint, units, cost_nano, outcome, flag, reported,
      admitted_at, settled_at, duration_ms)
    values (given_team, given_call, given_key, given_model, given_endpoint, given_units, given_cost, given_outcome, given_flag,
      given_reported, given_admitted, given_settled, given_duration)
    on conflict do nothing;
  is_fresh := found;
  if is_fresh and record_json is not null then
    insert into calls (team_id, call_id, key_hash, endpoint, model_asked, model_served, outcome, code, status, refusal, units, cost_nano,
        flag, received_at, ended_at, duration_ms, first_byte_ms, upstream, upstream_key, session_id, session_source,
        parent_session, tool, user_agent, client_address, calls, last_at, texts, texts_salt, texts_hash, salt,
        commit_hash)
      select c.team_id, c.call_id, c.key_hash, c.endpoint, c.model_asked, c.model_served, c.outcome, c.code, c.status,
          c.refusal, c.units, c.cost_nano, c.flag, c.received_at, c.ended_at, c.duration_ms, c.first_byte_ms, c.upstream,
          c.upstream_key, c.session_id, c.session_source, c.parent_session, c.tool, c.user_agent, c.client_address, c.calls,
          c.last_at, c.texts, c.texts_salt, c.texts_hash, c.salt, c.commit_hash
        from json_populate_record(null::calls, record_json) c
      on conflict do nothing;
  end if;
  if not is_fresh and not is_gone then return true; end if;
  insert into totals as t (team_id, owner, slot, period_start, spent_nano, lifetime_nano, returned_nano, returned_slots, version)
    select v.team_id, v.owner, given_slot, v.period, v.spent, v.spent, v.returned, v.slots, 1
      from (values
        ('', 'event', 0::bigint, case when is_fresh then given_cost else 0 end, coalesce(gone.event_nano, 0), 0),
        (given_team, 'key:' || given_key, given_key_period, case when is_fresh then given_cost else 0 end, coalesce(gone.amount_nano, 0),
          case when is_gone then 1 else 0 end),
        (given_team, 'key_model:' || given_key || ':' || budget_model, given_key_period, case when is_fresh then given_cost else 0 end,
          coalesce(gone.amount_nano, 0), 0),
        (given_team, 'team:' || given_team, given_team_period, case when is_fresh then given_cost else 0 end, coalesce(gone.amount_nano, 0), 0)
      ) v(team_id, owner, period, spent, returned, slots)
    on conflict (team_id, owner, slot) do update set
      spent_nano = case when excluded.period_start = t.period_start then t.spent_nano + excluded.spent_nano
        when excluded.period_start > t.period_start then excluded.spent_nano else t.spent_nano end,
      returned_nano = case when excluded.period_start = t.period_start then t.returned_nano + excluded.returned_nano
        when excluded.period_start > t.period_start then excluded.returned_nano else t.returned_nano end,
      period_start = greatest(t.period_start, excluded.period_start),
      lifetime_nano = t.lifetime_nano + excluded.lifetime_nano,
      returned_slots = t.returned_slots + excluded.returned_slots,
      version = t.version + 1;
  return true;
end
$function$`
