// The function that decides for all processes at once which calls may run. It runs in PostgreSQL, so that counting and taking are one step.

/** True for a running call that counts at a level of the batch. */
const isCounted = `(l.kind = 1 or l.kind = 2 and 'key:' || c.key_hash = l.level
                  or l.kind = 3 and 'key_model:' || c.key_hash || ':' || c.model_id = l.level)`

/**
 * `admit_2` decides a batch of calls in their order, each against what the ones before it have taken, and takes what it admits.
 *
 * Why no limit is passed:
 * - All batches that touch a team wait for each other on an advisory lock of this transaction. Windows of the whole service have locks of
 *   their own. The caller sorts the locks, those of the service first, so that no two batches wait in a circle.
 * - States, totals and running calls are read in one statement that begins after the locks: it sees everything that was committed before,
 *   and all of it as of one moment. Used money is spent + taken - returned. This function alone writes `taken`, under the lock; `settle_2`
 *   alone writes `spent` and `returned`, in one row version, without the lock. A settlement that is not seen yet shows too much used, never
 *   too little.
 *
 * A level without a limit has no state, and nothing is counted there. Once it gets one, the first call that has the limit counts what runs
 * from `running_calls`, under the lock; from then on all calls count there, also those of a process that does not know the limit yet.
 *
 * All levels are read in one statement into arrays: 26 µs a call instead of 52 for a loop that assigned each figure, in batches of 14.
 * What runs is only summed up for a new state.
 *
 * A ring is an array of entries, oldest first: amount << 17 | the low 17 bits of its time (Unix ms). Entries are written only while they
 * are younger than 61 s, so that their age at `counted_at` gives the full time. An entry counts until it is 60 s old. Requests have an
 * entry for each millisecond, or one for 500 ms if the limit is above 120 a minute; tokens one for each second. An entry that is added to
 * gets the later time: no 60 s ever hold more than the limit.
 *
 * Parameters, all flat arrays with a fixed count of numbers or texts for each item (levels are counted from 1):
 * - given_locks: sorted and distinct.
 * - level_names, 2: team (empty for the whole service), name of the level.
 * - level_numbers, 6: kind (0 windows only, 1 team, 2 key, 3 key with model, 4 event: these hold money, and 2 also slots), milliseconds
 *   that share an entry of requests, start of the period (-1: as it is, for calls that only end), its end or null, the first of its token
 *   changes (0: none), whether it has a limit (0, 1).
 * - token_changes, 3, those of a level together: level, second of the reservation or null for now, tokens (negative: given back).
 * - ended_names, 2: team, call; ended_levels, 4: its levels of team, key, key with model, event (0: none). Calls that end without a charge.
 * - call_names, 5: call, team, key, model or null, kind (`ended`: announced for its windows alone). call_numbers, 11 and then the lists:
 *   levels of team, key, key with model (0: none), slots, amount, whether budgets are checked (0, 1), whether the request counts, whether
 *   it takes tokens, tokens to note, level of the event (0: none), number of windows; for each of them level, requests or null, tokens or
 *   null, tokens wanted; number of budgets; for each of them level, maximum.
 * - announces: the calls run already and take without a check, unless their rows exist.
 *
 * Returns numbers as text: state (0 decided, 1 the limits are being recovered, 2 no lease), and if decided: now; the last change of the
 * directory; for each ended call when it was admitted, or 0; for each call its code (0 admitted, 1 slots: parallel_exceeded, 2 requests:
 * rpm_exceeded, 3 tokens: tpm_exceeded, 4 budget: budget_exceeded, 5 another period, 6 already there) and the code's own figures:
 * - 1: running calls.
 * - 5: start of the latest known period of team and key.
 * - 0 to 4, for each window: requests, ms until it is empty, tokens, ms until it is empty; at 2 and 3 also ms until a request is free and
 *   until the tokens are (-1: never).
 * - 4, for each budget: spent, held.
 */
export const admit2 = `
create or replace function admit_2(
  given_process text,
  announces boolean,
  given_locks bigint[],
  level_names text[],
  level_numbers bigint[],
  token_changes bigint[],
  ended_names text[],
  ended_levels int[],
  call_names text[],
  call_numbers bigint[]
) returns text language plpgsql as $function$
declare
  levels constant int := coalesce(cardinality(level_names), 0) / 2;
  calls constant int := coalesce(cardinality(call_names), 0) / 5;
  changes constant int := coalesce(cardinality(token_changes), 0) / 3;
  endings constant int := coalesce(cardinality(ended_names), 0) / 2;
  now_ms bigint;
  directory bigint;
  is_known boolean;
  is_leased boolean;
  -- By level, as counted now, with what this batch takes.
  states limit_states[];
  requests bigint[];
  tokens bigint[];
  request_empties bigint[];
  token_empties bigint[];
  spent bigint[];
  held bigint[];
  running bigint[];
  known_periods bigint[];
  is_new boolean[];
  is_touched boolean[];
  -- By level, what this batch adds: null if nothing is added to the ring of tokens (adding 0 moves its time).
  added_requests bigint[];
  added_tokens bigint[];
  request_tails bigint[];
  token_tails bigint[];
  taken_nano bigint[];
  taken_slots bigint[];
  -- What ended.
  ended_at bigint[];
  ended_amounts bigint[];
  ended_team_periods bigint[];
  ended_key_periods bigint[];
  ended_of_event bigint[];
  -- What is admitted: number of the call, and where its numbers begin.
  admitted int[] := '{}';
  admitted_from int[] := '{}';
  already text[];
  -- The period of the calls is over.
  is_over boolean[];
  -- What is admitted counts there: the level has a limit or a state, and no later period (what is announced may be of an earlier one).
  is_taken boolean[];
  -- Levels whose rings must be looked at.
  windowed int[];
  zeros bigint[];
  nothing bigint[];
  row_found record;
  state limit_states;
  ring bigint[];
  entry bigint;
  entry_at bigint;
  first int;
  position int;
  change int;
  level int;
  count bigint;
  wanted bigint;
  code int;
  request_code int;
  at int := 1;
  rates_from int;
  rates int;
  budgets_from int;
  budgets int;
  entries int;
  wait bigint;
  answer bigint[];
  filled int;
begin
  perform pg_advisory_xact_lock(l) from unnest(given_locks) l;

  select limits_clock_1(),
      2 = (select count(*) from limits_epoch e where e.process_id in ('', given_process)),
      exists (select from processes p where p.process_id = given_process
        and p.lease_until > extract(epoch from clock_timestamp()) * 1000),
      coalesce((select max(d.version) from directory_version d), 0)
    into now_ms, is_known, is_leased, directory;
  if not is_leased then return '2'; end if;
  if not is_known and not announces then return '1'; end if;

  if endings > 0 then
    ended_at := array_fill(0, array[endings]);
    ended_amounts := ended_at; ended_team_periods := ended_at; ended_key_periods := ended_at; ended_of_event := ended_at;
    for row_found in
      delete from running_calls r
        using (select i, ended_names[2 * i - 1] as team_id, ended_names[2 * i] as call_id from generate_series(1, endings) i) e
        where r.team_id = e.team_id and r.call_id = e.call_id
        returning e.i, r.admitted_at, r.amount_nano, r.team_period, r.key_period, r.event_nano
    loop
      ended_at[row_found.i] := row_found.admitted_at;
      ended_amounts[row_found.i] := row_found.amount_nano;
      ended_team_periods[row_found.i] := row_found.team_period;
      ended_key_periods[row_found.i] := row_found.key_period;
      ended_of_event[row_found.i] := row_found.event_nano;
    end loop;
  end if;
  if announces then
    already := array(
      select r.call_id from generate_series(1, calls) i
        join running_calls r on r.team_id = call_names[5 * i - 3] and r.call_id = call_names[5 * i - 4]
      union all
      select c.call_id from generate_series(1, calls) i
        join charges c on c.team_id = call_names[5 * i - 3] and c.call_id = call_names[5 * i - 4]
    );
  end if;

  if levels = 0 then return concat_ws(',', 0, now_ms, directory, nullif(array_to_string(ended_at, ','), '')); end if;

  -- A clock that is behind what was counted before (it stepped back, or is another machine's) counts as standing still.
  select max(x.moment), array_agg(x.state), array_agg((x.state).requests), array_agg((x.state).tokens), array_agg(x.spent),
      array_agg(greatest((x.state).taken_nano - x.returned, 0)), array_agg(greatest((x.state).taken_slots - x.slots, 0)),
      array_agg(x.known_period), array_agg(x.is_new), array_agg(x.known_period > x.starts or x.ends <= x.moment),
      array_agg(not x.is_free and x.known_period <= x.starts),
      array_agg(x.i) filter (where x.change > 0 or (x.state).request_ring <> '{}' or (x.state).token_ring <> '{}')
    into now_ms, states, requests, tokens, spent, held, running, known_periods, is_new, is_over, is_taken, windowed
    from (
      select l.i, l.change, l.moment, l.starts, l.ends, l.state_team is null as is_new, l.is_free, greatest(coalesce(t.spent, 0), 0) as spent,
          coalesce(t.returned, 0) as returned, coalesce(t.slots, 0) as slots,
          greatest(coalesce(l.period_start, l.starts), t.period) as known_period,
          case when l.state_team is null then row(l.team_id, l.level, l.moment, 0, 0, l.starts,
              coalesce(t.returned, 0) + case when l.is_free then 0 when l.kind = 4 then
                  (select coalesce(sum(c.event_nano), 0) from running_calls c where c.event_nano > 0)
                else (select coalesce(sum(c.amount_nano), 0) from running_calls c where c.team_id = l.team_id
                  and case when l.kind = 1 then c.team_period else c.key_period end = l.starts and ${isCounted}) end,
              coalesce(t.slots, 0) + case when l.is_free then 0 else
                (select count(*) from running_calls c where c.team_id = l.team_id and ${isCounted}) end, '{}', '{}')::limit_states
            else row(l.team_id, l.level, l.counted_at, l.requests, l.tokens, greatest(l.period_start, l.starts),
              case when l.period_start < l.starts then 0 else l.taken_nano end, l.taken_slots, l.request_ring, l.token_ring)::limit_states
          end as state
        from (
          select l.*, s.team_id as state_team, s.counted_at, s.requests, s.tokens, s.period_start, s.taken_nano, s.taken_slots,
              s.request_ring, s.token_ring, greatest(now_ms, max(s.counted_at) over ()) as moment,
              s.team_id is null and not l.is_limited as is_free
            from (
              select i, level_names[2 * i - 1] as team_id, level_names[2 * i] as level, level_numbers[6 * i - 5] as kind,
                  level_numbers[6 * i - 3] as starts, level_numbers[6 * i - 2] as ends, level_numbers[6 * i - 1] as change,
                  level_numbers[6 * i] = 1 as is_limited
                from generate_series(1, levels) i
            ) l
            -- The \`limit\` makes PostgreSQL look up each state by its key. A join would compare every state with every level of the
            -- batch, by a plan that was made while the table was small (decision 046).
            left join lateral (select f.* from limit_states f where f.team_id = l.team_id and f.level = l.level limit 1) s on true
        ) l
        left join lateral (
          select sum(o.spent_nano) filter (where o.period_start = l.starts) as spent,
              sum(o.returned_nano) filter (where o.period_start = l.starts) as returned,
              sum(o.returned_slots) as slots, max(o.period_start) as period
            from totals o where o.team_id = l.team_id and o.owner = l.level and l.kind > 0 and not l.is_free
        ) t on true
        order by l.i
    ) x;
  zeros := array_fill(0::bigint, array[levels]);
  nothing := array_fill(null::bigint, array[levels]);
  added_requests := zeros; request_empties := zeros; token_empties := zeros; taken_nano := zeros; taken_slots := zeros;
  added_tokens := nothing; request_tails := nothing; token_tails := nothing;
  is_touched := array_fill(false, array[levels]);
  foreach level in array coalesce(windowed, '{}') loop
    state := states[level];
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
      state.request_ring := ring;
      position := cardinality(ring);
    end if;
    if position > 0 then
      entry := ring[position];
      entry_at := state.counted_at - ((state.counted_at - entry) & 131071);
      request_empties[level] := entry_at + 60000 - now_ms;
      if entry_at / level_numbers[6 * level - 4] = now_ms / level_numbers[6 * level - 4] then request_tails[level] := entry >> 17; end if;
    end if;
    requests[level] := state.requests;

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
      state.token_ring := ring;
    end if;
    change := level_numbers[6 * level - 1];
    while change between 1 and changes and token_changes[3 * change - 2] = level loop
      count := token_changes[3 * change];
      if token_changes[3 * change - 1] is null then
        added_tokens[level] := coalesce(added_tokens[level], 0) + count;
        state.tokens := state.tokens + count;
        is_touched[level] := true;
      else
        position := cardinality(ring);
        while position > 0 loop
          entry := ring[position];
          entry_at := (state.counted_at - ((state.counted_at - entry) & 131071)) / 1000;
          if entry_at = token_changes[3 * change - 1] then
            count := greatest(count, -(entry >> 17));
            ring[position] := entry + (count << 17);
            state.tokens := state.tokens + count;
            is_touched[level] := true;
          end if;
          exit when entry_at <= token_changes[3 * change - 1];
          position := position - 1;
        end loop;
        state.token_ring := ring;
      end if;
      change := change + 1;
    end loop;
    position := cardinality(ring);
    if position > 0 then
      entry := ring[position];
      entry_at := state.counted_at - ((state.counted_at - entry) & 131071);
      if entry_at / 1000 = now_ms / 1000 then token_tails[level] := entry >> 17; end if;
      while entry >> 17 = 0 and position > 1 loop
        position := position - 1;
        entry := ring[position];
      end loop;
      if entry >> 17 > 0 then
        entry_at := state.counted_at - ((state.counted_at - entry) & 131071);
        token_empties[level] := entry_at + 60000 - now_ms;
      end if;
    end if;
    tokens[level] := state.tokens;
    if coalesce(added_tokens[level], 0) > 0 then token_empties[level] := 60000; end if;
    states[level] := state;
  end loop;

  answer[1] := 0;
  answer[2] := now_ms;
  answer[3] := directory;
  filled := 3;

  for i in 1..endings loop
    filled := filled + 1;
    answer[filled] := ended_at[i];
    continue when ended_at[i] = 0;
    for k in 1..4 loop
      level := ended_levels[4 * i - 4 + k];
      -- What a new state has taken was counted after the call had ended.
      continue when level = 0 or is_new[level];
      state := states[level];
      if k = 4 then
        taken_nano[level] := taken_nano[level] - ended_of_event[i];
        held[level] := held[level] - ended_of_event[i];
        is_touched[level] := true;
      elsif state.period_start = (case k when 1 then ended_team_periods[i] else ended_key_periods[i] end) then
        taken_nano[level] := taken_nano[level] - ended_amounts[i];
        held[level] := held[level] - ended_amounts[i];
        is_touched[level] := true;
      end if;
      if k = 2 then
        taken_slots[level] := taken_slots[level] - 1;
        running[level] := running[level] - 1;
        is_touched[level] := true;
      end if;
    end loop;
  end loop;

  for number in 1..calls loop
    rates_from := at + 11;
    rates := call_numbers[at + 10];
    budgets_from := rates_from + 4 * rates + 1;
    budgets := call_numbers[budgets_from - 1];
    code := 0;
    request_code := 0;
    if announces then
      if call_names[5 * number - 4] = any(already) then code := 6; end if;
    elsif is_over[call_numbers[at]] or is_over[call_numbers[at + 1]] or is_over[call_numbers[at + 2]] then
      code := 5;
    else
      if running[call_numbers[at + 1]] >= call_numbers[at + 3] then
        code := 1;
      else
        for k in 0..rates - 1 loop
          position := rates_from + 4 * k;
          level := call_numbers[position];
          if call_numbers[at + 6] = 1 and requests[level] >= call_numbers[position + 1] then
            request_code := 2;
          end if;
          if call_numbers[at + 7] = 1 and tokens[level] + call_numbers[position + 3] > call_numbers[position + 2] then
            code := 3;
          end if;
        end loop;
        if request_code > 0 then code := request_code; end if;
        if code = 0 and call_numbers[at + 5] = 1 then
          for k in 0..budgets - 1 loop
            level := call_numbers[budgets_from + 2 * k];
            if call_numbers[at + 4] > call_numbers[budgets_from + 2 * k + 1] - spent[level] - held[level] then
              code := 4;
            end if;
          end loop;
        end if;
      end if;
    end if;

    if code = 0 then
      admitted := admitted || number;
      admitted_from := admitted_from || at;
      for k in 0..2 loop
        level := call_numbers[at + k];
        continue when level = 0 or not is_taken[level];
        taken_nano[level] := taken_nano[level] + call_numbers[at + 4];
        held[level] := held[level] + call_numbers[at + 4];
        is_touched[level] := true;
      end loop;
      level := call_numbers[at + 9];
      if level > 0 then
        taken_nano[level] := taken_nano[level] + call_numbers[at + 4];
        held[level] := held[level] + call_numbers[at + 4];
        is_touched[level] := true;
      end if;
      if call_names[5 * number] <> 'ended' then
        level := call_numbers[at + 1];
        taken_slots[level] := taken_slots[level] + 1;
        running[level] := running[level] + 1;
      end if;
      for k in 0..rates - 1 loop
        position := rates_from + 4 * k;
        level := call_numbers[position];
        if call_numbers[at + 6] = 1 and call_numbers[position + 1] is not null then
          requests[level] := requests[level] + 1;
          added_requests[level] := added_requests[level] + 1;
          request_empties[level] := 60000;
          is_touched[level] := true;
        end if;
        if call_numbers[at + 7] = 1 and call_numbers[position + 2] is not null then
          wanted := call_numbers[position + 3];
          added_tokens[level] := coalesce(added_tokens[level], 0) + wanted;
          tokens[level] := tokens[level] + wanted;
          if added_tokens[level] > 0 or token_tails[level] > 0 then token_empties[level] := 60000; end if;
          is_touched[level] := true;
        end if;
      end loop;
    end if;

    filled := filled + 1;
    answer[filled] := code;
    if code = 5 then
      answer[filled + 1] := known_periods[call_numbers[at]];
      answer[filled + 2] := known_periods[call_numbers[at + 1]];
      filled := filled + 2;
    elsif code < 5 then
      if code = 1 then
        filled := filled + 1;
        answer[filled] := running[call_numbers[at + 1]];
      end if;
      for k in 0..rates - 1 loop
        position := rates_from + 4 * k;
        level := call_numbers[position];
        answer[filled + 1] := requests[level];
        answer[filled + 2] := request_empties[level];
        answer[filled + 3] := tokens[level];
        answer[filled + 4] := token_empties[level];
        filled := filled + 4;
        continue when code <> 2 and code <> 3;
        state := states[level];
        for kind in 1..2 loop
          -- Until enough has left the ring, oldest first; what this batch has added leaves last.
          if kind = 1 then
            ring := state.request_ring; count := requests[level]; wanted := 1; wait := call_numbers[position + 1];
          else
            ring := state.token_ring; count := tokens[level]; wanted := call_numbers[position + 3]; wait := call_numbers[position + 2];
          end if;
          filled := filled + 1;
          if wait is null or count + wanted <= wait then
            answer[filled] := 0;
          elsif wanted > wait then
            answer[filled] := -1;
          else
            -- The entry that the batch adds to has the time of the batch.
            entries := cardinality(ring) - case
              when kind = 1 and added_requests[level] > 0 and request_tails[level] is not null then 1
              when kind = 2 and added_tokens[level] is not null and token_tails[level] is not null then 1 else 0 end;
            answer[filled] := 60000;
            for i in 1..entries loop
              entry := ring[i];
              count := count - (entry >> 17);
              if count + wanted <= wait then
                answer[filled] := state.counted_at - ((state.counted_at - entry) & 131071) + 60000 - now_ms;
                exit;
              end if;
            end loop;
          end if;
        end loop;
      end loop;
      if code = 4 then
        for k in 0..budgets - 1 loop
          level := call_numbers[budgets_from + 2 * k];
          answer[filled + 1] := spent[level];
          answer[filled + 2] := held[level];
          filled := filled + 2;
        end loop;
      end if;
    end if;
    at := budgets_from + 2 * call_numbers[budgets_from - 1];
  end loop;

  if true = any(is_touched) then
      insert into limit_states
          (team_id, level, counted_at, requests, tokens, period_start, taken_nano, taken_slots, request_ring, token_ring)
        select c.team_id, c.level, now_ms, c.counted_requests, c.counted_tokens, c.period_start,
            c.taken_nano + c.more_nano, c.taken_slots + c.more_slots,
            case when c.more_requests = 0 then c.request_ring
              when c.request_tail is null then c.request_ring || ((c.more_requests << 17) | (now_ms & 131071))
              else c.request_ring[:cardinality(c.request_ring) - 1] || (((c.request_tail + c.more_requests) << 17) | (now_ms & 131071))
            end,
            case when c.more_tokens is null then c.token_ring
              when c.token_tail is null then c.token_ring || ((c.more_tokens << 17) | (now_ms & 131071))
              else c.token_ring[:cardinality(c.token_ring) - 1] || (((c.token_tail + c.more_tokens) << 17) | (now_ms & 131071))
            end
          from unnest(states, requests, tokens, added_requests, added_tokens, request_tails, token_tails, taken_nano, taken_slots,
              is_touched)
            as c(team_id, level, counted_at, requests, tokens, period_start, taken_nano, taken_slots, request_ring, token_ring,
              counted_requests, counted_tokens, more_requests, more_tokens, request_tail, token_tail, more_nano, more_slots,
              is_touched)
          where c.is_touched
        on conflict on constraint limit_states_pkey do update set
          counted_at = excluded.counted_at, requests = excluded.requests, tokens = excluded.tokens,
          period_start = excluded.period_start, taken_nano = excluded.taken_nano, taken_slots = excluded.taken_slots,
          request_ring = excluded.request_ring, token_ring = excluded.token_ring;
  end if;
  if cardinality(admitted) > 0 then
    insert into running_calls (team_id, call_id, process_id, kind, key_hash, model_id, admitted_at, team_period, key_period,
        amount_nano, event_nano, reserved_tokens)
      select call_names[5 * a.number - 3], call_names[5 * a.number - 4], given_process, call_names[5 * a.number],
          call_names[5 * a.number - 2], call_names[5 * a.number - 1], now_ms,
          level_numbers[6 * call_numbers[a.at] - 3], level_numbers[6 * call_numbers[a.at + 1] - 3],
          call_numbers[a.at + 4], case when call_numbers[a.at + 9] > 0 then call_numbers[a.at + 4] else 0 end, call_numbers[a.at + 8]
        from unnest(admitted, admitted_from) a(number, at)
        where call_names[5 * a.number] <> 'ended';
  end if;
  return array_to_string(answer, ',');
end
$function$`
