// The functions around admissions: the clock that they use, the recovery after a crash of the database, and the clearing of idle states.

/** Unix ms. A separate function, so that tests can replace the clock. */
export const limitsClock1 = `
create or replace function limits_clock_1() returns bigint language sql volatile as $function$
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint
$function$`

/**
 * `announce_1` records that a process has reported all its running calls since the last crash of the database, and returns whether calls
 * may be admitted again. A crash or a fail-over empties `limits_epoch`, which is not logged: admissions of the last moments may be lost
 * then, because these do not wait for the disk. Calls are admitted again when all processes have announced, or, after the length of a lease
 * in which the living ones have come back, when all with a lease have.
 */
export const announce1 = `
create or replace function announce_1(given_process text, lease_ms bigint) returns boolean language plpgsql as $function$
declare
  now_ms constant bigint := floor(extract(epoch from clock_timestamp()) * 1000);
begin
  perform pg_advisory_xact_lock(0);
  insert into limits_epoch (process_id, announced_at) values (given_process, now_ms) on conflict do nothing;
  if exists (select from limits_epoch e where e.process_id = '') then return true; end if;
  if exists (
    select from processes p
      where p.process_id not in (select e.process_id from limits_epoch e)
        and (p.lease_until > now_ms or (select min(e.announced_at) from limits_epoch e) + lease_ms > now_ms)
  ) then return false; end if;
  insert into limits_epoch (process_id, announced_at) values ('', now_ms);
  return true;
end
$function$`

/**
 * `tidy_limits_1` deletes states with empty windows, for at most so many teams, and returns how many. The amounts that calls hold are
 * counted again from their rows when the state is needed, so this may happen at any time. A team in use is left alone. Announcements of
 * processes that no longer exist are deleted as well.
 */
export const tidyLimits1 = `
create or replace function tidy_limits_1(given_locks bigint[], given_teams text[]) returns int language plpgsql as $function$
declare
  deleted int := 0;
  more int;
begin
  for i in 1..coalesce(cardinality(given_teams), 0) loop
    continue when not pg_try_advisory_xact_lock(given_locks[i]);
    delete from limit_states s where s.team_id = given_teams[i] and s.counted_at < limits_clock_1() - 61000;
    get diagnostics more = row_count;
    deleted := deleted + more;
  end loop;
  delete from limits_epoch e where e.process_id <> '' and not exists (select from processes p where p.process_id = e.process_id);
  return deleted;
end
$function$`
