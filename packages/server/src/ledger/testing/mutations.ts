// Faults that could creep into the money, the windows and the slots; a test must notice each one of them.

export type Mutation = {
  readonly name: string
  /** Below packages/server/src. */
  readonly file: string
  /** Stands exactly once in the file. */
  readonly find: string
  readonly replace: string
}

const inFile = (file: string, ...faults: readonly (readonly [string, string, string])[]): Mutation[] =>
  faults.map(([name, find, replace]) => ({ file, name, find, replace }))

export const mutations: readonly Mutation[] = [
  ...inFile(
    'ledger/budget-account.ts',
    ['hold removed', 'held = saturate(held + amount)', 'held = saturate(held)'],
    ['hold stays after settlement', 'Math.max(0, held - heldAmount)', 'Math.max(0, held)'],
    ['refund doubled', 'Math.max(0, held - heldAmount)', 'Math.max(0, held - 2 * heldAmount)'],
    ['charge not added', 'spent = saturate(spent + cost)', 'spent = saturate(spent)'],
    ['charge of an old period counted', 'if (holdStart !== start) return', ''],
    ['period not rolled', 'rollTo(Math.max(period.start, start), period.end)', ''],
    ['period rolled one ms late', 'now < end)) return', 'now <= end)) return'],
    ['period runs backwards', 'if (newStart < start) return', ''],
    ['spend kept over a roll', '      spent = nanoDollars(0)\n', ''],
    ['holds kept over a roll', '      held = nanoDollars(0)\n', ''],
    ['older loaded total not ignored', 'if (loadedStart < start) return', ''],
    ['changed duration not noticed', 'rules.budgetDuration === budgetDuration && ', ''],
    ['changed anchor not noticed', ' && rules.budgetAnchor === budgetAnchor', ''],
  ),
  ...inFile(
    'ledger/budget-period.ts',
    ['period starts before its anchor', 'start: Math.max(start, anchor)', 'start'],
    ['week starts on Sunday', '-3 * dayMs', '-4 * dayMs'],
    ['fixed period not counted from its anchor', 'anchor + Math.floor(', 'Math.floor('],
  ),
  ...inFile(
    'ledger/decide-budget.ts',
    ['budget: <= for <', 'estimate.cost <= headroom', 'estimate.cost < headroom'],
    ['held: >= for >', 'grant.amount > budget.maximum', 'grant.amount >= budget.maximum'],
    ['holds ignored', 'budget.spent - budget.held', 'budget.spent'],
    [
      'cap reduced by what is held',
      'estimateWithin(estimate, tightest.maximum - tightest.spent)',
      'estimateWithin(estimate, tightest.maximum - tightest.spent - tightest.held)',
    ],
    ['least tight budget', 'budget.spent < tightest.maximum', 'budget.spent > tightest.maximum'],
  ),
  ...inFile(
    'ledger/output-cap.ts',
    ['cap: < for <=', 'if (asked <= headroom)', 'if (asked < headroom)'],
    ['least cap: <= for <', 'outputCap < estimate.minimumOutput', 'outputCap <= estimate.minimumOutput'],
    ['one choice priced only', ' * BigInt(estimate.count)\n', '\n'],
    ['cap reduced though it may not be', '!estimate.reducible || ', ''],
  ),
  ...inFile(
    'ledger/ceiling-cost.ts',
    ['only one kind of tokens priced', 'sumProducts(products)', 'sumProducts(products.slice(0, 1))'],
    ['tier of a short prompt', 'dearestRate(price, units, inputTokens)', 'dearestRate(price, units, 0)'],
    ['unpriced kinds asked for though there are none', '.filter(({ tokens }) => tokens > 0)', ''],
  ),
  ...inFile(
    'ledger/price.ts',
    ['rounded down', '(millionths + 999_999n)', 'millionths'],
    ['tier: >= for >', 'inputTokens > tier.aboveInputTokens', 'inputTokens >= tier.aboveInputTokens'],
    [
      'reachable tier: > for >=',
      'tier.aboveInputTokens >= inputTokens',
      'tier.aboveInputTokens > inputTokens',
    ],
    [
      'unpriced unit is free',
      'if (rate === undefined) throw new UnpricedUnitError(unit)',
      'if (!rate) continue',
    ],
    ['cached tokens charged twice', 'inputTokens - cachedTokens', 'inputTokens'],
    ['reasoning charged twice', 'outputTokens - reasoningTokens', 'outputTokens'],
    [
      'sent media charged twice',
      'textUnits.inputText - inputAudio - inputImage - inputVideo',
      'textUnits.inputText',
    ],
    ['made media charged twice', 'textUnits.outputText - outputAudio - outputImage', 'textUnits.outputText'],
    ['media not charged', '...media,', ''],
    ['searches not charged', '{ search: searches }', '{}'],
  ),
  ...inFile(
    'ledger/request-window.ts',
    ['window of 59,999 ms', 'windowMs = 60_000', 'windowMs = 59_999'],
    ['window of 60,001 ms', 'windowMs = 60_000', 'windowMs = 60_001'],
    ['request window: < for <=', 'timeAt(0) + windowMs <= latest', 'timeAt(0) + windowMs < latest'],
    ['next free one too early', 'timeAt(size - limit)', 'timeAt(size - limit - 1)'],
    ['next free: <= for <', 'size < limit ? moment', 'size <= limit ? moment'],
    ['ring loses order when it grows', '    oldest = 0\n', ''],
    ['request window follows a clock back', 'if (now > latest) latest = now', 'latest = now'],
  ),
  ...inFile(
    'ledger/token-window.ts',
    ['token window: < for <=', 'first.latest + windowMs <= latest', 'first.latest + windowMs < latest'],
    ['unused tokens not returned', '        total -= tokens - used\n', ''],
    ['unused tokens stay in their second', '        bucket.tokens -= tokens - used\n', ''],
    ['excess tokens forgotten', 'add(used - tokens - excess, moment)', 'add(0, moment)'],
    ['expired tokens returned', 'else if (bucket.latest + windowMs > moment)', 'else'],
    [
      'returned on the last ms: >= for >',
      'bucket.latest + windowMs > moment',
      'bucket.latest + windowMs >= moment',
    ],
    ['reservation not clipped', 'Math.min(wanted, limit)', 'wanted'],
    ['input at the limit: < for <=', 'tokens.input <= limit', 'tokens.input < limit'],
    ['second ends with its first reservation', '    bucket.latest = moment\n', ''],
    [
      'token wait: < for <=',
      'if (left + tokens <= limit) return bucket',
      'if (left + tokens < limit) return bucket',
    ],
  ),
  ...inFile(
    'ledger/decide-rates.ts',
    ['requests: <= for <', 'if (used < limit) return null', 'if (used <= limit) return null'],
    ['tokens: < for <=', 'if (used + wanted <= limit) return', 'if (used + wanted < limit) return'],
    ['request not counted', 'requests.window.add(now)', 'requests.window.count(now)'],
    ['wait of the window that frees first', 'rightEnd > leftEnd', 'rightEnd < leftEnd'],
    ['wait rounded down', 'Math.ceil((moment - now)', 'Math.floor((moment - now)'],
    ['wait of the named window only', 'secondsUntil(last.resetAt, now)', 'secondsUntil(named.resetAt, now)'],
    ['call for information counted', 'if (demand.countsRequest) requests', 'requests'],
  ),
  ...inFile(
    'limits/memory/create-memory-limits.ts',
    ['slot: > for >=', 'running >= request.key', 'running > request.key'],
    ['slot not freed', 'state.running -= 1', 'state.running -= 0'],
    ['release forgotten', 'end(hold, nanoDollars(0), 0)', '{}'],
    ['release keeps the tokens', 'end(hold, nanoDollars(0), 0)', 'end(hold, nanoDollars(0), 9e9)'],
    ['settled twice', '    live.delete(hold.callId)\n', ''],
    ['settled by a stranger', ' || call.hold !== hold', ''],
    ['key model not charged', 'call.states.keyModel?.account.settle(periods.key, amount, cost)', ''],
    [
      'key charged in the period of its team',
      'key.account.settle(periods.key',
      'key.account.settle(periods.team',
    ],
    ['held total keeps what has ended', 'heldNanoDollars -= amount', 'heldNanoDollars -= 0'],
    ['the clock is followed back', 'Math.max(latest, clock())', 'clock()'],
    ['spend of a past period shown', ' || account.start() < periodStart', ''],
    ['budgets not rolled', 'rollAccounts(callStates, request, now)', ''],
    [
      'taken before it is decided',
      'const rateRefusal =',
      'takeRates(levels, request, now)\n    const rateRefusal =',
    ],
    ['loaded totals forgotten', 'createAccount(owner).load(periodStart, spent)', 'createAccount(owner)'],
  ),
  ...inFile(
    'limits/memory/build-levels.ts',
    ["wrong level's limit: team for key", 'states.key, key.rpmLimit', 'states.key, team.rpmLimit'],
    ["wrong level's window", "addLevel(levels, 'key', states.key", "addLevel(levels, 'key', states.team"],
    [
      "a neighbour's budget",
      "add('key', key.maxBudget, states.key)",
      "add('key', key.maxBudget, states.team)",
    ],
    [
      'budget of the key model forgotten',
      'if (model !== null && states.keyModel',
      'if (model === null && states.keyModel',
    ],
    ['key model not rolled', 'states.keyModel?.account.rollTo(', 'void ('],
  ),
  ...inFile(
    'limits/memory/owner-states.ts',
    ['running owners forgotten', 'if (state.running > 0) continue', ''],
    ['spending owners forgotten', 'account.spent() === 0 && ', ''],
    ['idle owners kept for ever', ') states.delete(id)', ') continue'],
    ['full windows forgotten', 'state.requests.count(now) === 0', 'state.requests.count(now) >= 0'],
    ['used tokens forgotten', 'state.tokens.emptyAt(now) <= now', 'state.tokens.emptyAt(now) >= now'],
  ),
  ...inFile('limits/load-totals.ts', [
    'lifetime loaded as spend of the period',
    'nanoDollars(row.spent_nano)',
    'nanoDollars(row.lifetime_nano)',
  ]),
  ...inFile(
    'store/ledger-writer.ts',
    [
      'charge marked before it is written',
      '        await submit(item)\n',
      '        onDurable()\n        await submit(item)\n',
    ],
    ['hold freed though the write failed', '        retryLater(item, onDurable)\n', '        onDurable()\n'],
    ['failed charge not retried', '      reject: () => retrying.push(again)', '      reject: () => {}'],
    ['answered before the commit', '    await commit(buildBatch(', '    void commit(buildBatch('],
    [
      'hold not freed after the write',
      '        unwritten.delete(row)\n        onDurable()\n',
      '        unwritten.delete(row)\n',
    ],
    ['healthy while charges wait', 'isHealthy: () => unwritten.size === 0', 'isHealthy: () => true'],
    ['half a failing batch forgotten', '      await commitSplitting(items.slice(middle), [])\n', ''],
    ['rows past the largest batch lost', 'waiting = waiting.slice(maximumBatch)', 'waiting = []'],
    ['progress of an ended stream written', '      streams.delete(row.call_id)\n      try {', '      try {'],
  ),
  ...inFile(
    'limits/memory/create-memory-limits.ts',
    [
      'refund keeps the spend of the team',
      "      findAccount({ kind: 'team', teamId })?.refund(periods.team, cost)\n",
      '',
    ],
    [
      'refund keeps the spend of the key',
      "      findAccount({ kind: 'key', keyHash })?.refund(periods.key, cost)\n",
      '',
    ],
  ),
  ...inFile(
    'ledger/budget-account.ts',
    ['refund of a past period counted', 'if (chargedStart === start) spent', 'spent'],
    ['refund doubled', 'Math.max(0, spent - cost)', 'Math.max(0, spent - cost - cost)'],
  ),
  ...inFile(
    'store/statements/charges.ts',
    [
      'duplicate charge counted twice',
      'separateOwners(sumByOwner(fresh))',
      'separateOwners(sumByOwner(sorted))',
    ],
    [
      'charge twice in a batch',
      'const sorted = [...distinct.values()].sort(',
      'const sorted = [...rows].sort(',
    ],
    [
      'new period keeps the old spend',
      'then excluded.spent_nano else',
      'then totals.spent_nano + excluded.spent_nano else',
    ],
    [
      'late charge moves the new period',
      'else totals.spent_nano end',
      'else totals.spent_nano + excluded.spent_nano end',
    ],
    [
      'late charge sets the period back',
      'then excluded.period_start else totals.period_start',
      'then excluded.period_start else excluded.period_start',
    ],
    ['lifetime total starts anew', 'totals.lifetime_nano + excluded.lifetime_nano', 'excluded.lifetime_nano'],
    [
      'key charged in the period of its team',
      'row.key_hash}`, row.key_period',
      'row.key_hash}`, row.team_period',
    ],
    ['stream left open after its charge', 'sorted.filter(row => row.closes_stream)', '[]'],
  ),
  ...inFile(
    'store/statements/video-tasks.ts',
    ['refund forgotten', '  await settleCharges(db, [buildRefund(readTaskRow(task), now)])\n', ''],
    ['refund charged', 'cost_nano: -task.cost_nano', 'cost_nano: task.cost_nano'],
    ['task failed twice', "    .where('state', 'in', ['submitting', 'processing'])\n", ''],
    ['completed task failed', "['submitting', 'processing']", "['submitting', 'processing', 'completed']"],
    [
      'task started twice',
      "    .where('state', '=', 'submitting')\n    .executeTakeFirst",
      '    .executeTakeFirst',
    ],
    ['lease ignored', "    .where('leased_until', '<=', input.now)\n", ''],
    [
      'running task failed at start',
      "    .where('state', '=', 'submitting')\n    .execute()",
      '    .execute()',
    ],
  ),
  ...inFile(
    'store/statements/append-entries.ts',
    ['lock ignored', 'if (isBoardLocked(board, receivedMicros / 1000))', 'if (board === undefined)'],
    ['lock looked up in microseconds', 'receivedMicros / 1000))', 'receivedMicros))'],
    ['duplicate entry stored twice', 'if (known.has(entry.identity)) continue', ''],
    ['twice in a commit stored twice', '      known.add(entry.identity)\n', ''],
    ['head not moved', 'head_seq: seq, head_chain', 'head_chain'],
    ['chain not carried on', 'chain = chainEntry(chain,', 'chain = chainEntry(board.headChain,'],
  ),
  ...inFile(
    'store/hot-statement.ts',
    ['only the first rows of many written', 'start < rows.length', 'start < Math.min(1, rows.length)'],
    [
      'values in the wrong columns',
      'columns.map(column => row[column])',
      'columns.map(column => row[column]).reverse()',
    ],
  ),
  ...inFile(
    'store/statements/idempotent-calls.ts',
    [
      'a charged call made again',
      "if (await isCharged(db, call.team_id, known.call_id)) return { kind: 'lost' }",
      '',
    ],
    ['refunded order taken for charged', "charges.every(({ outcome }) => outcome !== 'refunded')", 'true'],
    ['a free answer forgotten', "outcome === 'completed' || ", ''],
    ['a charged failure forgotten', ' || Number(cost_nano) > 0', ''],
    ['the answer to another body given', ' || known.body_digest !== call.body_digest', ''],
    ['the key of another path taken', 'known.route !== call.route || ', ''],
    ['key free while its charge may come', '} else if (mayForget) {', '} else {'],
    ['key kept without a charge', '} else if (mayForget) {', '} else if (false) {'],
    ['key taken over for the dead call', '.set({ call_id: call.call_id, ', '.set({ '],
    ['expired one ms late', "where('expires_at', '<=', now)", "where('expires_at', '<', now)"],
  ),
  ...inFile(
    'ledger/request-window.ts',
    ['restored requests forgotten', 'let size = restored.length', 'let size = 0'],
    ['requests written twice', 'return { times: added, mark: recorded }', 'return { times: added, mark }'],
  ),
  ...inFile(
    'ledger/token-window.ts',
    ['restored tokens forgotten', 'add(second.tokens, second.latest)', 'void second'],
    ['excess counted twice', 'used > tokens + excess', 'used > tokens'],
    ['excess before its charge forgotten', '      reservation.excess += more\n', ''],
    [
      'what a settlement returned not written',
      '        bucket.changedAt = changes\n        bucket.tokens -=',
      '        bucket.tokens -=',
    ],
  ),
  ...inFile(
    'limits/memory/change-tracker.ts',
    ['change not written', 'if (waits.commit && waits.second) return', 'if (waits.second) return'],
    ['failed write forgotten', 'for (const state of states) note(state)', ''],
    ['written though it was not', "if (scope === 'second') saved.second = mark", 'saved.second = mark'],
  ),
  ...inFile(
    'limits/windows/create-window-journal.ts',
    [
      'rows of commits kept beside their second',
      'drop: [...replaced, ...rides, ...expired]',
      'drop: [...replaced, ...expired]',
    ],
    ['rows of the process before kept', '[{ from: 0, through: last }]', '[]'],
    ['rows dropped while they count', 'at + windowMs <= now', 'at <= now'],
  ),
  ...inFile(
    'limits/windows/replay-rows.ts',
    [
      'first word of a second counts',
      'of seconds)\n        known.seconds.set(',
      'of seconds)\n        if (!known.seconds.has(Math.floor(latest / 1000))) known.seconds.set(',
    ],
    ['clock set back ignored', 'correctionOf(row) - ahead', 'correctionOf(row)'],
    ['corrected clock ignored', 'correctionOf(row) - ahead', '-ahead'],
    [
      'window of the restart too short',
      'times.filter(time => time + windowMs > now)',
      'times.filter(time => time + windowMs > now + 1)',
    ],
  ),
  ...inFile(
    'store/ledger-writer.ts',
    [
      'windows not written with the charge',
      'if (!windowsDue && windowsFailed) return null',
      'if (!windowsDue) return null',
    ],
    [
      'windows of the last settlements lost',
      '      windowsDue = true\n      wake()\n      await running\n',
      '',
    ],
    [
      'a bad charge keeps the windows off the disk',
      'await commitWindows([], [], windows).catch(failure => leaveWindows(windows, failure))',
      'leaveWindows(windows, error)',
    ],
  ),
]
