// Faults in the state that many processes share on one PostgreSQL: limits, leases and the directory. Each names the tests that must notice it.
import type { Mutation, NoticingTest } from './mutations.ts'

type Fault = Omit<Mutation, 'file' | 'noticedBy'> & {
  readonly by: NoticingTest | readonly NoticingTest[]
}

const inFile = (file: string, ...faults: readonly Fault[]): Mutation[] =>
  faults.map(({ by, ...fault }) => ({ ...fault, file, noticedBy: [by].flat() }))

const inPostgres =
  (suite: string) =>
  (test: string): NoticingTest => ({ suite, test, needsPostgres: true })
const anywhere =
  (suite: string) =>
  (test: string): NoticingTest => ({ suite, test, needsPostgres: false })

const races = inPostgres('src/limits/shared/races.test.ts')('no window, slot or budget is passed')
const simulation = inPostgres('src/limits/shared/simulation.test.ts')('1: every decision, refusal and figure')
const limits = inPostgres('src/limits/shared/shared-limits.test.ts')
const settling = inPostgres('src/store/statements/settle-shared.test.ts')
const following = anywhere('journeys/shared-directory.test.ts')
const notified = inPostgres('journeys/shared-directory.test.ts')
const looking = anywhere('src/directory/follow-directory.test.ts')
const memory = anywhere('src/directory/directory-memory.test.ts')
const processes = anywhere('src/store/sqlite/store-suite.test.ts')
const lease = anywhere('src/limits/hold-lease.test.ts')
const sweeping = anywhere('src/limits/sweep-dead.test.ts')

const lock = '  perform pg_advisory_xact_lock(l) from unnest(given_locks) l;\n'

const admitting = inFile(
  'store/postgres/functions/admit-2.ts',
  { name: 'no lock', find: lock, replace: '', by: races },
  {
    name: 'state read before the lock',
    find: lock,
    replace: '',
    also: [{ find: '  answer[1] := 0;\n', replace: `${lock}  answer[1] := 0;\n` }],
    by: races,
  },
  {
    name: 'budget compared without what is held',
    find: '- spent[level] - held[level] then',
    replace: '- spent[level] then',
    by: races,
  },
  {
    name: 'budget compared without what is spent',
    find: '- spent[level] - held[level] then',
    replace: '- held[level] then',
    by: races,
  },
  {
    name: 'request window of 59,999 ms',
    find: '60000 > now_ms;\n      state.requests',
    replace: '59999 > now_ms;\n      state.requests',
    by: limits('the second request in 60 s is refused'),
  },
  {
    name: 'token window of 59,999 ms',
    find: '60000 > now_ms;\n      state.tokens',
    replace: '59999 > now_ms;\n      state.tokens',
    by: limits('tokens of one second count until the last'),
  },
  {
    name: 'lease not checked',
    find: "if not is_leased then return '2'; end if;",
    replace: '',
    by: limits('is not admitted anything'),
  },
  {
    name: 'epoch not checked',
    find: "if not is_known and not announces then return '1'; end if;",
    replace: '',
    by: limits('nothing is admitted until every process has told'),
  },
  {
    name: 'one slot too many',
    find: '>= call_numbers[at + 3]',
    replace: '> call_numbers[at + 3]',
    by: races,
  },
  {
    name: 'one request too many',
    find: 'requests[level] >= call_numbers[position + 1]',
    replace: 'requests[level] > call_numbers[position + 1]',
    by: races,
  },
  {
    name: 'one token too few',
    find: '+ call_numbers[position + 3] > call_numbers[position + 2]',
    replace: '+ call_numbers[position + 3] >= call_numbers[position + 2]',
    by: limits('reserved tokens refuse'),
  },
  {
    name: 'period not rolled',
    find: 'case when l.period_start < l.starts then 0 else l.taken_nano end',
    replace: 'l.taken_nano',
    by: limits('a budget resets when next looked at'),
  },
  {
    name: 'later period overlooked',
    find: 'array_agg(x.known_period > x.starts or x.ends',
    replace: 'array_agg(x.ends',
    by: limits('a period that has begun does not end'),
  },
  {
    name: 'end of the period overlooked',
    find: ' or x.ends <= x.moment',
    replace: '',
    by: limits('a period that has begun does not end'),
  },
  {
    name: 'returned money not taken off',
    find: '(x.state).taken_nano - x.returned,',
    replace: '(x.state).taken_nano,',
    by: races,
  },
  {
    name: 'returned slots not taken off',
    find: '(x.state).taken_slots - x.slots,',
    replace: '(x.state).taken_slots,',
    by: limits('exactly max_parallel_requests run'),
  },
  {
    name: 'running calls not counted for a new state',
    find: 'coalesce(t.returned, 0) + case when l.is_free then 0',
    replace: 'coalesce(t.returned, 0) + case when true then 0',
    by: limits('states that are not used are deleted'),
  },
  {
    name: 'release gives no money back',
    find: 'taken_nano[level] := taken_nano[level] - ended_amounts[i];',
    replace: '',
    by: races,
  },
  {
    name: 'release returns money in any period',
    find: 'if state.period_start = (case k when 1 then ended_team_periods[i] else ended_key_periods[i] end) then',
    replace: 'if true then',
    by: simulation,
  },
  {
    name: 'clock may step back',
    find: 'greatest(now_ms, max(s.counted_at) over ()) as moment',
    replace: 'now_ms as moment',
    by: limits('a clock that is behind what was counted stands still'),
  },
  {
    name: 'requests of a batch do not add up',
    find: 'requests[level] := requests[level] + 1;',
    replace: '',
    by: races,
  },
  {
    name: 'slots of a batch do not add up',
    find: 'running[level] := running[level] + 1;',
    replace: '',
    by: races,
  },
  {
    name: 'announced twice',
    find: 'if call_names[5 * number - 4] = any(already) then code := 6; end if;',
    replace: 'null;',
    // The rows alone would refuse it.
    also: [
      {
        find: "where call_names[5 * a.number] <> 'ended';",
        replace: "where call_names[5 * a.number] <> 'ended' on conflict do nothing;",
      },
    ],
    by: limits('what the database still knows is not counted twice'),
  },
  {
    name: 'an entry keeps its first time',
    find: '((c.token_tail + c.more_tokens) << 17) | (now_ms & 131071)',
    replace: '((c.token_tail + c.more_tokens) << 17) | (c.token_ring[cardinality(c.token_ring)] & 131071)',
    by: limits('tokens of one second count until the last'),
  },
  {
    name: 'tokens go back to another second',
    find: 'if entry_at = token_changes[3 * change - 1] then',
    replace: 'if true then',
    by: limits('unused tokens go back to the second'),
  },
  {
    name: 'release keeps the money of the event',
    find: 'taken_nano[level] := taken_nano[level] - ended_of_event[i];',
    replace: '',
    by: limits('its cap counts the spend and holds of all teams'),
  },
  {
    name: 'held of the event without its cap',
    find: 'case when call_numbers[a.at + 9] > 0 then call_numbers[a.at + 4] else 0 end',
    replace: 'call_numbers[a.at + 4]',
    by: limits('a cap added later'),
  },
)

const settlingFaults = inFile(
  'store/postgres/functions/settle-2.ts',
  {
    name: 'repeats change the spend',
    find: "settled := array(select c from unnest(settled) c where c.team_id || ' ' || c.call_id = any(inserted));",
    replace: 'null;',
    by: limits('a charge counts once if its commit had no answer'),
  },
  {
    name: 'a partly repeated batch counts whole',
    find: 'if inserted is null or cardinality(inserted) < cardinality(settled) then',
    replace: 'if inserted is null then',
    by: inPostgres('src/store/postgres/store-suite.test.ts')('a repeated charge together with a new one'),
  },
  {
    name: 'charges do not count for the event',
    find: "where m.owner = 'team:' || m.team_id), 0) as spent",
    replace: "where m.owner = ''), 0) as spent",
    by: limits('a cap added later'),
  },
  {
    name: 'an order gives its slot back with its charge',
    find: 'k.amount_nano, 0 from unnest(kept) k',
    replace: 'k.amount_nano, 1 from unnest(kept) k',
    by: limits('an order that is charged gives its money back'),
  },
  {
    name: 'an order gives its money back twice',
    find: 'set amount_nano = 0, event',
    replace: 'set amount_nano = r.amount_nano, event',
    by: settling('an order returns its money with its charge'),
  },
  {
    name: 'spent of an old period counted',
    find: 'sum(m.spent) filter (where m.period = m.latest)',
    replace: 'sum(m.spent)',
    by: settling('a batch across the end of a period'),
  },
  {
    name: 'returned of an old period counted',
    find: 'else t.returned_nano end',
    replace: 'else t.returned_nano + excluded.returned_nano end',
    by: [settling('a batch across the end of a period'), simulation],
  },
  {
    name: 'spent of an old period added',
    find: 'else t.spent_nano end',
    replace: 'else t.spent_nano + excluded.spent_nano end',
    by: [settling('a batch across the end of a period'), simulation],
  },
)

const adjusting = [
  ...inFile(
    'store/statements/adjustments.ts',
    {
      name: 'an adjustment counts twice',
      find: "if (await hasAdjustment(db, { teamId, adjustmentId })) return 'known'",
      replace: '',
      by: anywhere('src/store/sqlite/store-suite.test.ts')('a correction moves team, key'),
    },
    {
      name: 'a refund measured by the charge alone',
      find: 'return (cost ?? 0) + (amount ?? 0)',
      replace: 'return cost ?? (amount === null ? 0 : 0)',
      by: anywhere('src/store/sqlite/store-suite.test.ts')('refunds of a call never exceed its cost'),
    },
    {
      name: 'a correction is made of an outdated preview',
      find: 'if (seenLeft !== null && callId !== null',
      replace: 'if (seenLeft === -1 && callId !== null',
      by: anywhere('src/store/sqlite/store-suite.test.ts')(
        'a correction is made only if the rest of the call',
      ),
    },
  ),
  ...inFile('directory/grant-commands.ts', {
    name: 'a grant of an earlier period goes on',
    find: 'team.granted?.periodStart === start ? team.granted.amount : 0',
    replace: 'team.granted?.amount ?? 0',
    by: anywhere('src/admin/correction-routes.test.ts')('a grant ends with its period'),
  }),
  ...inFile('store/statements/charges.ts', {
    name: 'what the period before has given back stays',
    find: 'then 0 else totals.returned_nano end',
    replace: 'then totals.returned_nano else totals.returned_nano end',
    by: settling('a correction that begins a period'),
  }),
]

const sharedLimits = [
  ...inFile('store/postgres/functions/announce-1.ts', {
    name: 'other processes are not waited for',
    find: 'then return false; end if;',
    replace: 'then end if;',
    by: limits('nothing is admitted until every process has told'),
  }),
  ...inFile(
    'limits/shared/admission-lane.ts',
    {
      name: 'a call without an answer keeps what it took',
      find: '      this.#endings.push({\n        ending: { callId: demand.callId',
      replace: '      if (demand === null) this.#endings.push({\n        ending: { callId: demand.callId',
      by: limits('is refused with 503, and what it has taken is given back'),
    },
    {
      name: 'a swept call is announced for a new lease',
      find: 'this.#epoch !== null && ',
      replace: 'this.#epoch !== this.#epoch && ',
      by: limits('one sleeps past its lease'),
    },
    {
      name: 'forgotten releases stay',
      find: 'if (!known.has(callId))',
      replace: 'if (known.has(callId) && callId === null)',
      by: limits('what the database still knows is not counted twice'),
    },
  ),
  ...inFile('limits/shared/shared-limits.ts', {
    name: 'unused tokens stay',
    find: 'else if (used < tokens) changes.push',
    replace: 'else if (used < 0) changes.push',
    by: limits('reserved tokens refuse'),
  }),
  ...inFile(
    'limits/shared/full-windows.ts',
    {
      name: 'refusals are not remembered',
      find: "if (answer.code === 'rates') {",
      replace: "if (answer.code === 'rates' && answer.now < 0) {",
      by: limits('a storm on a full window costs no database'),
    },
    {
      name: 'a remembered refusal outlives its limit',
      find: 'full.limit !== limit || ',
      replace: '',
      by: limits('another limit is asked for at once'),
    },
  ),
]

const directory = [
  ...inFile('store/statements/numbered-rows.ts', {
    name: "another process's change overwritten",
    find: 'seen === null ?',
    replace: 'seen !== undefined ?',
    by: following('of one team by three processes'),
  }),
  ...inFile('store/statements/teams.ts', {
    name: 'taken team_id not refused',
    find: 'if (numInsertedOrUpdatedRows === 0n) return false',
    replace: 'void numInsertedOrUpdatedRows',
    by: following('the same team_id on two processes'),
  }),
  ...inFile('store/statements/gateway-keys.ts', {
    name: 'deletions not announced',
    find: "await db.insertInto('directory_deletions').values(deletions).execute()",
    replace: 'void deletions',
    by: following('a deleted key'),
  }),
  ...inFile('store/statements/read-directory.ts', {
    name: 'never read as a whole again',
    find: 'numbers.version - after > keptVersions',
    replace: 'numbers.version - after > keptVersions * 100',
    by: following('one that was away for very many changes'),
  }),
  ...inFile('store/statements/processes.ts', {
    name: 'dead process waited for',
    find: ".where('lease_until', '>', Math.floor(nowMicros / 1000))",
    replace: ".where('lease_until', '>', 0 * nowMicros)",
    by: following('is not waited for when its lease is over'),
  }),
  ...inFile(
    'store/statements/directory-version.ts',
    {
      name: 'change not announced',
      find: '  await notify(db, directoryChannels.changed, version)\n',
      replace: '',
      by: notified('a team, its key, its token, their limits and blocks'),
    },
    {
      name: 'number given before the commit',
      find: '  const version = (await holdDirectory(db)) + 1\n  if (',
      replace:
        "  await sql`create sequence if not exists given start 100`.execute(db)\n  const { rows } = await sql<{ n: number }>`select nextval('given') as n`.execute(db)\n  const version = Number(rows[0]?.n)\n  if (",
      by: notified('a reader that has reached a number has missed none'),
    },
  ),
  ...inFile(
    'directory/follow-directory.ts',
    {
      name: 'always current',
      find: 'this.#dependencies.monotonicMs() - this.#lookedAt <= currentMs',
      replace: 'this.#dependencies.monotonicMs() - this.#lookedAt <= 1e9',
      by: following('does not keep an answer back for longer than a second'),
    },
    {
      name: 'current since a change that does not apply here',
      find: 'if (version > this.#memory.version()) void this.#look()\n    else if',
      replace: 'if',
      by: looking('a version seen by another query'),
    },
    {
      name: 'current since the answer, not since the question',
      find: 'this.#lookedAt = beganAt',
      replace: 'this.#lookedAt = this.#dependencies.monotonicMs()',
      by: looking('a check counts from its start'),
    },
  ),
  ...inFile(
    'directory/run-changes.ts',
    {
      name: 'changed without reading other changes',
      find: 'if (hasOthers || tries > 0) await refresh()',
      replace: 'if (tries > 0) await refresh()',
      by: following('what another process has just created'),
    },
    {
      name: 'answered before others have it',
      find: 'await this.#dependencies.awaitOthers(version)',
      replace: 'void version',
      by: following('a team, its key, its token, their limits and blocks'),
    },
  ),
  ...inFile(
    'directory/directory-memory.ts',
    {
      name: 'lists ordered by the first reader',
      find: '    this.#sort()\n    this.#version = Math.max',
      replace: '    this.#version = Math.max',
      by: following('lists have the same order on every process'),
    },
    {
      name: 'own catalog read again',
      find: '    this.#catalogVersion = Math.max(this.#catalogVersion, version)\n',
      replace: '',
      by: following('a catalog that was read again'),
    },
    {
      name: 'change of another skipped',
      find: 'if (version === this.#version + 1) this.#version = version',
      replace: 'this.#version = version',
      by: memory('the version stays below a change of another process'),
    },
    {
      name: 'deleted key comes back',
      find: 'if (!this.#deletedKeys.has(key.keyHash)) this.#setKey(key, version)',
      replace: 'this.#setKey(key, version)',
      by: memory('a key deleted here does not come back'),
    },
    {
      name: 'older reading wins',
      find: 'if (held !== undefined && this.versionOf(held) >= version) return false',
      replace: 'void held',
      by: memory('an older read does not undo a change'),
    },
  ),
]

const leases = [
  ...inFile(
    'world/timers.ts',
    {
      name: 'two rounds at once',
      find: 'running ??= run()',
      replace: 'running = run()',
      by: sweeping('one round at a time'),
    },
    {
      name: 'stopped after a failure',
      find: '      running = null\n    })',
      replace: '      if (milliseconds < 0) running = null\n    })',
      by: sweeping('a failed round is reported, and the next one runs'),
    },
  ),
  ...inFile(
    'limits/sweep-dead.ts',
    {
      name: 'sweep by a process that may not',
      find: 'if (lease.maySweep()) await sweep()',
      replace: 'await sweep()',
      by: sweeping('a process that may not sweep reads nothing'),
    },
    {
      name: 'only the first piece swept',
      find: 'isOver = piece.isOver',
      replace: 'isOver = true',
      by: sweeping('each dead process is swept piece by piece'),
    },
    {
      name: 'calls of unknown processes never ended',
      find: 'rounds % roundsPerLookAtAll === 0',
      replace: 'rounds < 0',
      by: sweeping('all running calls are checked now and then'),
    },
  ),
  ...inFile(
    'limits/hold-lease.ts',
    {
      name: 'held past its end',
      find: 'return !this.#isLost && this.#dependencies',
      replace: 'return this.#dependencies',
      by: lease('is taken again as soon as there is a free place'),
    },
    {
      name: 'held from the answer, not from the question',
      find: 'if (isRenewed) this.#hold(askedAt)',
      replace: 'if (isRenewed) this.#hold(monotonicMs())',
      by: lease('lasts from the request for its renewal'),
    },
    {
      name: 'loss not reported',
      find: '    for (const run of this.#listeners) run()\n',
      replace: '',
      by: lease('is lost before others may consider the process dead'),
    },
  ),
  ...inFile(
    'store/statements/idempotent-calls.ts',
    {
      name: 'holder of a key not checked for life',
      find: 'if (living.length > 0) return true',
      replace: '',
      by: processes('a key is taken while its call runs on a living process'),
    },
    {
      name: 'key of a dead process taken over by all',
      find: "kind: taken.numUpdatedRows === 1n ? 'claimed' : 'running'",
      replace: "kind: 'claimed'",
      by: inPostgres('src/store/postgres/store-suite.test.ts')(
        'the key of a dead process is taken over by one process',
      ),
    },
  ),
  ...inFile(
    'store/statements/processes.ts',
    {
      name: 'living process may be declared dead',
      find: 'if (row.lease_until > (await readDatabaseMs(db))) return false',
      replace: '',
      by: processes('the work of a living process is left alone'),
    },
    {
      name: 'place of a process that ended stays',
      find: 'if (await removeProcess(db, processId)) return\n',
      replace: '',
      by: processes('a process that ends frees its slot at once'),
    },
  ),
  ...inFile('store/statements/sweep-calls.ts', {
    name: 'place free after the first piece',
    find: 'if (isOver) await removeProcess(db, deadProcessId)',
    replace: "await db.deleteFrom('processes').where('process_id', '=', deadProcessId).execute()",
    by: processes('its slot is taken until everything is ended'),
  }),
  ...inFile('store/postgres/open-lease-connection.ts', {
    name: 'lease renewed by a process that is being swept',
    find: 'where process_id = $1 and lease_until > 0 returning',
    replace: 'where process_id = $1 returning',
    by: inPostgres('src/store/postgres/open-lease-connection.test.ts')(
      'until another process has begun to end',
    ),
  }),
  ...inFile('store/statements/charges.ts', {
    name: 'late charge after a sweep counted twice',
    find: 'sumByOwner(fresh, slot)',
    replace: 'sumByOwner(sorted, slot)',
    by: processes('a charge after the sweep changes nothing'),
  }),
]

export const sharedMutations: readonly Mutation[] = [
  ...admitting,
  ...settlingFaults,
  ...adjusting,
  ...sharedLimits,
  ...directory,
  ...leases,
]
