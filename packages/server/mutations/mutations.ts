// Faults that could creep into the money, the windows and the slots. A test must notice each.

export type Edit = {
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
}

export type Mutation = Edit & {
  readonly name: string
  /** Below packages/server/src. */
  readonly file: string
  /** Other edits of the fault in this file. */
  readonly also?: readonly Edit[]
  /** One of these must notice it; they run in this order. If absent, any test of the same part of the code may. */
  readonly noticedBy?: readonly NoticingTest[]
}

export type NoticingTest = {
  /** Below packages/server. */
  readonly suite: string
  /** Part of the name of the test. */
  readonly test: string
  /** If false, it runs on SQLite. */
  readonly needsPostgres: boolean
}

const inFile = (file: string, ...faults: readonly (readonly [string, string, string])[]): Mutation[] =>
  faults.map(([name, find, replace]) => ({ file, name, find, replace }))

/** Files that are uploaded before a call: what is held for them, and from when on a call may have been billed. */
const largeFiles = (
  file: string,
  suite: string,
  test: string,
  [name, find, replace]: readonly [string, string, string],
): Mutation[] => [{ file, name, find, replace, noticedBy: [{ suite, test, needsPostgres: false }] }]

export const mutations: readonly Mutation[] = [
  ...inFile(
    'ledger/budget-account.ts',
    ['hold removed', 'saturate(this.#held + amount)', 'saturate(this.#held)'],
    ['hold stays after settlement', 'this.#held - heldAmount', 'this.#held'],
    ['hold given back twice', 'this.#held - heldAmount', 'this.#held - 2 * heldAmount'],
    ['charge not added', 'saturate(this.#spent + cost)', 'saturate(this.#spent)'],
    ['charge of an old period counted', 'if (start !== this.#start) return', ''],
    ['period not rolled', 'this.rollTo(Math.max(period.start, this.#start), period.end)', ''],
    ['period rolled one ms late', 'now < this.#end)) return', 'now <= this.#end)) return'],
    ['period runs backwards', '    if (start < this.#start) return\n    if', '    if'],
    ['spend kept over a roll', '      this.#spent = 0\n', ''],
    ['holds kept over a roll', '      this.#held = nanoDollars(0)\n', ''],
    ['older loaded total not ignored', '    if (start < this.#start) return\n    this', '    this'],
    ['changed duration not noticed', 'rules.budgetDuration === budgetDuration &&', ''],
    ['changed anchor not noticed', 'rules.budgetAnchor === budgetAnchor &&', ''],
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
    ['only one choice priced', '(cap, outputRate))), count)', '(cap, outputRate))), 1)'],
    ['cap reduced when not allowed', '!estimate.reducible || ', ''],
  ),
  ...inFile(
    'ledger/price.ts',
    ['only one kind of tokens priced', 'sumProducts(products)', 'sumProducts(products.slice(0, 1))'],
    ['tier of a short prompt', 'dearestRate(price, units, inputTokens)', 'dearestRate(price, units, 0)'],
    ['rates required for kinds without tokens', '.filter(({ tokens }) => tokens > 0)', ''],
  ),
  ...inFile(
    'ledger/exact.ts',
    ['rounded down', 'Math.ceil(dividend / divisor)', 'Math.floor(dividend / divisor)'],
    ['large amounts rounded down', ' + BigInt(divisor) - 1n)', ')'],
    ['an inexact product passes for exact', ' && Number.isSafeInteger(product)', ''],
    ['an inexact sum passes for exact', 'if (Number.isSafeInteger(sum)) return sum', 'return sum'],
  ),
  ...inFile(
    'ledger/price.ts',
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
    ['sent media charged twice', 'textUnits.inputText - others', 'textUnits.inputText'],
    ['made media charged twice', 'textUnits.outputText - outputAudio - outputImage', 'textUnits.outputText'],
    ['media not charged', '...media,', ''],
    ['cache writes not charged', '...cacheWrites,', ''],
    ['searches not charged', '{ search: searches }', '{}'],
  ),
  ...inFile(
    'ledger/request-window.ts',
    ['window of 59,999 ms', 'windowMs = 60_000', 'windowMs = 59_999'],
    ['window of 60,001 ms', 'windowMs = 60_000', 'windowMs = 60_001'],
    ['request window: < for <=', '#timeAt(0) + windowMs <= this', '#timeAt(0) + windowMs < this'],
    ['next free one too early', 'timeAt(this.#size - limit)', 'timeAt(this.#size - limit - 1)'],
    ['next free: <= for <', '#size < limit ? moment', '#size <= limit ? moment'],
    ['ring loses order when it grows', '    this.#oldest = 0\n', ''],
    ['request window follows a clock that goes back', 'if (now > this.#latest) this', 'this'],
  ),
  ...inFile(
    'ledger/token-window.ts',
    ['token window: < for <=', 'first.latest + windowMs <= this', 'first.latest + windowMs < this'],
    ['unused tokens not returned', '      this.#total -= tokens - used\n', ''],
    ['unused tokens stay in their second', '      bucket.tokens -= tokens - used\n', ''],
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
    ['slot: > for >=', ' && running >= levels.slots', ' && running > levels.slots'],
    ['slot not freed', 'call.counted) state.running -= 1', 'call.counted) state.running -= 0'],
    [
      'slot of a call that leaves not freed',
      'of counted) state.running -= 1',
      'of counted) state.running -= 0',
    ],
    ['slot counted twice', '    this.leave(callId)\n', ''],
    ['entered: > for >=', 'if (running >= levels.slots)', 'if (running > levels.slots)'],
    ['release forgotten', 'this.#end(hold, nanoDollars(0), 0)', 'undefined'],
    ['release keeps the tokens', 'end(hold, nanoDollars(0), 0)', 'end(hold, nanoDollars(0), 9e9)'],
    ['settled twice', '    this.#live.delete(hold.callId)\n', ''],
    ['settled with another hold', ' || call.hold !== hold) return\n    // Read', ') return\n    // Read'],
    ['key model not charged', 'call.states.keyModel?.account.settle(periods.key, amount, cost)', ''],
    [
      'key charged in the period of its team',
      'key.account.settle(periods.key',
      'key.account.settle(periods.team',
    ],
    ['held total keeps ended calls', 'heldNanoDollars -= amount', 'heldNanoDollars -= 0'],
    ['a clock that goes back is followed', 'Math.max(this.#latest, this.#clock())', 'this.#clock()'],
    ['spend of a past period shown', ' || account.start < periodStart', ''],
    [
      'budgets not rolled',
      'rollAccounts(callStates, levels, now)\n    const budget = decideBudget(findBudgetLevels(callStates, levels), request',
      'const budget = decideBudget(findBudgetLevels(callStates, levels), request',
    ],
    [
      'taken before the decision',
      'const rateRefusal = decideRates(rates, request, now)',
      'takeRates(rates, request, now)\n    const rateRefusal = decideRates(rates, request, now)',
    ],
    ['loaded totals forgotten', 'createAccount(owner).load(periodStart, spent)', 'createAccount(owner)'],
  ),
  ...inFile(
    'limits/build-levels.ts',
    ["wrong level's limit: team for key", "'key', key.rpmLimit", "'key', team.rpmLimit"],
    ['service limits over all teams forgotten', "addRate(rates, 'service_model', ", 'void (0, '],
    ['budget of the key model forgotten', "addBudget(budgets, 'key_model', ", 'void (0, '],
    ['outdated levels of the team', ' || known.team !== team', ''],
    ['levels of another model', 'known.byModel.get(model)', 'known.withoutModel'],
  ),
  ...inFile(
    'limits/memory/call-states.ts',
    ["wrong level's window", "'key') return key\n", "'key') return team\n"],
    ["a neighbour's budget", "'key') return key.account", "'key') return team.account"],
    ['key model not rolled', '  keyModel?.account.rollTo(key.account.start, key.account.end)\n', ''],
    ['running calls of a model not counted', 'counted.push(state)', 'void state'],
  ),
  ...inFile(
    'limits/memory/owner-states.ts',
    ['running owners forgotten', 'if (state.running > 0 || ', 'if ('],
    ['spending owners forgotten', '&& account.isBlank', ''],
    ['idle owners kept forever', ') states.delete(id)', ') continue'],
    ['full windows forgotten', 'state.requests.count(now) === 0', 'state.requests.count(now) >= 0'],
    ['used tokens forgotten', 'state.tokens.emptyAt(now) <= now', 'state.tokens.emptyAt(now) >= now'],
  ),
  ...inFile('limits/start-memory-limits.ts', [
    'lifetime loaded as spend of the period',
    'periodStart, spent }) =>',
    'periodStart, lifetime: spent }) =>',
  ]),
  ...inFile(
    'store/ledger-writer.ts',
    [
      'charge marked before it is written',
      '    this.#submit(firstTry)\n',
      '    onDurable()\n    this.#submit(firstTry)\n',
    ],
    [
      'hold freed though the write failed',
      '    this.#tryLater(this.work, this.#onDurable, this.#late, error, this.#ended)\n',
      '    this.#onDurable()\n    this.#ended.reject(error)\n',
    ],
    [
      'failed charge not retried',
      '    }\n    this.#retrying.push(again)\n  }\n\n  /** A row that may be on disk',
      '    }\n  }\n\n  /** A row that may be on disk',
    ],
    ['answered before the commit', '    await commit(buildBatch(', '    void commit(buildBatch('],
    [
      'hold not freed after the write',
      "        this.#unwritten.delete(charge)\n        try {\n          onDurable(lateEnd === 'refund')\n",
      '        this.#unwritten.delete(charge)\n        try {\n',
    ],
    [
      'late charge never refunded',
      "if (lateEnd === 'refund') charges.push(buildRefund(charge, charge.settledAt))",
      '',
    ],
    [
      'withheld answer not listed',
      'undelivered.push({ teamId: charge.teamId, callId: charge.callId, at: charge.settledAt })',
      'undelivered.splice(0)',
    ],
    ['healthy while charges wait', 'return this.#unwritten.size === 0', 'return true'],
    ['half a failing batch forgotten', '    await this.#commitSplitting(batch.slice(middle), [])\n', ''],
    [
      'rows past the largest batch lost',
      '? batch.splice(maximumBatch) : []',
      '? batch.splice(maximumBatch).slice(0, 0) : []',
    ],
    ['progress of an ended stream written', '    this.#streams.end(charge.callId)\n', ''],
  ),
  ...inFile(
    'limits/memory/create-memory-limits.ts',
    [
      'refund keeps the spend of the team',
      "    this.#createAccount({ kind: 'team', teamId }).adjust(periods.team, amount)\n",
      '',
    ],
    ['money of the event held without its cap', '? amount : nanoDollars(0)', '? amount : amount'],
    ['levels of a phase that is over decide', 'if (areOver(levels, now)) throw new LevelsOver(now)', ''],
    [
      'refund keeps the spend of the key',
      "    this.#createAccount({ kind: 'key', teamId, keyHash }).adjust(periods.key, amount)\n",
      '',
    ],
  ),
  ...inFile('limits/levels.ts', [
    'a grant counts in any period',
    ' || granted.periodStart !== periodStart',
    '',
  ]),
  ...inFile(
    'ledger/event-limits.ts',
    ['a phase lasts a millisecond too long', 'now < until', 'now <= until'],
    ['the first new period stays', 'begun.at(-1)', 'begun.at(0)'],
  ),
  ...inFile(
    'ledger/budget-account.ts',
    ['refund of a past period counted', 'if (start === this.#start) this', 'this'],
    ['refund doubled', 'this.#spent + amount)', 'this.#spent + amount + amount)'],
  ),
  ...inFile(
    'store/statements/charges.ts',
    ['duplicate charge counted twice', 'sumByOwner(fresh, slot)', 'sumByOwner(sorted, slot)'],
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
    [
      'lifetime total starts again',
      'totals.lifetime_nano + excluded.lifetime_nano',
      'excluded.lifetime_nano',
    ],
    ['key charged in the period of its team', 'keyHash}`, periods.key', 'keyHash}`, periods.team'],
    [
      'only one process counts in a total',
      'totals.period_start = latest.period_start then',
      'totals.slot = 0 then',
    ],
  ),
  ...inFile('store/statements/charges.ts', [
    'calls of a commit with a repeat forgotten',
    ': cutNote(note, fresh)',
    ': null',
  ]),
  ...inFile(
    'store/statements/file-calls.ts',
    [
      'calls taken and not filed',
      'await insertCalls(db, calls.sort(byKey).map(toCallRecord))',
      'calls.sort(byKey).map(toCallRecord)',
    ],
    [
      'calls of existing charges filed',
      'filter(([, callId]) => ids.has(callId))',
      'filter(() => ids.size > 0)',
    ],
  ),
  ...inFile('store/store.ts', [
    'calls shown before they are filed',
    'await fileCalls().then(nothing,',
    'await Promise.resolve().then(nothing,',
  ]),
  ...inFile('store/statements/running-calls.ts', [
    'stream left open after its charge',
    "charges.filter(({ kind }) => kind === 'stream')",
    '[]',
  ]),
  ...inFile(
    'store/statements/sweep-calls.ts',
    [
      'living process swept',
      'if (!(await declareDead(db, deadProcessId))) return',
      'await declareDead(db, deadProcessId)\n  if (limit < 0) return',
    ],
    [
      'cut stream not charged',
      'if (charge !== null) charges.push(charge)',
      'if (charge !== null) ended.push(call)',
    ],
    ['cut order not refunded', "row.kind === 'order' && ", "row.kind === 'video' && "],
  ),
  ...inFile(
    'store/statements/processes.ts',
    ['living process declared dead', "    .where('lease_until', '<=', await readDatabaseMs(db))\n", ''],
    ['place free with calls left', 'if (left.length > 0) return false', ''],
  ),
  ...inFile(
    'gateway/idempotency/call-ends.ts',
    [
      'end of a call abandoned',
      'this.#dependencies.reportUnkeptReply(error, end.call.callId)\n      this.noteLater(end)',
      'this.#dependencies.reportUnkeptReply(error, end.call.callId)',
    ],
    [
      'unlimited waiting answers',
      'reply !== null && this.#dependencies.recording.recordedBytes.take',
      'reply !== null || this.#dependencies.recording.recordedBytes.take',
    ],
    [
      'room of an answer never freed',
      'this.#dependencies.recording.recordedBytes.give(end.reply?.body.byteLength ?? 0)',
      '',
    ],
  ),
  ...inFile(
    'limits/hold-lease.ts',
    ['any process sweeps at once', 'now - this.#steadyFrom >= leaseMs &&', ''],
    ['a gap ignored', ' || askedAt - this.#heldFrom > gapMs', ''],
    ['a process sweeps after sleeping', 'now - this.#heldFrom <= gapMs', 'true'],
    ['failed renewal ignored', '      this.#steadyFrom = null\n    }\n', '    }\n'],
    [
      'lost a second late',
      'if (!this.#isHeldFor(renewMs)) this.#lose()',
      'if (!this.#isHeldFor(0)) this.#lose()',
    ],
    ['old place kept', '    this.#process = process\n    this.#hold', '    this.#hold'],
  ),
  ...inFile(
    'store/statements/video-tasks.ts',
    [
      'refund forgotten',
      'charges: [buildRefund({ ...order, admittedAt: order.createdAt }, now)]',
      'charges: []',
    ],
    ['task failed twice', "    .where('state', 'in', ['submitting', 'processing'])\n", ''],
    ['completed task failed', "['submitting', 'processing']", "['submitting', 'processing', 'completed']"],
    [
      'task started twice',
      "    .where('state', '=', 'submitting')\n    .executeTakeFirst()\n  return result",
      '    .executeTakeFirst()\n  return result',
    ],
    ['lease ignored', "eb('leased_until', '<=', input.now)", "eb('leased_until', '>=', 0)"],
    ['lost lease kept', 'input.lost.length > 0', 'input.lost.length < 0'],
    [
      'row of an order stays',
      'if (task !== undefined)\n    await settleCalls',
      'if (task === undefined)\n    await settleCalls',
    ],
    ['ended order comes back', 'fresh.has(taskId) && ', ''],
  ),
  ...inFile(
    'store/statements/append-entries.ts',
    [
      'lock ignored',
      "if (isLockedByHand(board, clockMs) || lock.kind === 'locked')",
      'if (board === undefined)',
    ],
    ['lock looked up in microseconds', 'const clockMs = clockMicros / 1000', 'const clockMs = clockMicros'],
    ['entry at the end counted as earlier', 'entry.tsMicros >= lastMicros', 'entry.tsMicros > lastMicros'],
    ['late entry not marked', "const late = lock.kind === 'late' ? 1 : 0", 'const late = 0'],
    ['duplicate entry stored twice', 'if (known.has(entry.identity)) continue', ''],
    ['repeat in one commit stored twice', '      known.add(entry.identity)\n', ''],
    ['head not moved', 'head_seq: seq, head_chain', 'head_chain'],
    ['receipt before the previous one', 'Math.max(clockMicros, board.headReceivedMicros)', 'clockMicros'],
    ['chain not continued', 'chain = chainEntry(chain,', 'chain = chainEntry(board.headChain,'],
  ),
  ...inFile(
    'store/hot-statement.ts',
    [
      'only the first row of many written',
      'return rows.filter(row => db.change(',
      'return rows.slice(0, 1).filter(row => db.change(',
    ],
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
      'known.call_id !== refundedCallId && (await isCharged(db, call.teamId, known.call_id))',
      'false',
    ],
    ['refunded order counted as charged', "charges.every(({ outcome }) => outcome !== 'refunded')", 'true'],
    ['a lost answer never refunded', 'known.process_id !== null && ', 'false && '],
    ['an answer that was not stored refunded', 'known.process_id !== null && ', ''],
    ['a free answer forgotten', "outcome === 'completed' || ", ''],
    ['a charged failure forgotten', ' || cost_nano > 0', ''],
    ['the answer to another body returned', ' || known.body_digest !== call.bodyDigest', ''],
    ['the key of another path accepted', 'known.route !== call.route || ', ''],
    ['key free while its charge may come', 'if (!mayForget) return false', ''],
    ['key kept without a charge', 'if (!mayForget) return false', 'return false'],
    ['key taken over for the dead call', '.set({ call_id: call.callId, ', '.set({ '],
    ['key of a running call taken', "if (await isRunning(db, holder)) return { kind: 'running' }", ''],
    ['key of an unswept stream taken', 'return unswept.length > 0', 'return false'],
    ['key of a dead process never freed', "    .where('lease_until', '!=', declaredDead)\n", ''],
    ['key held after its end', ', process_id: null })', ' })'],
    ['expired one ms late', "where('expires_at', '<=', now)", "where('expires_at', '<', now)"],
  ),
  ...inFile(
    'ledger/request-window.ts',
    ['restored requests forgotten', 'this.#size = restored.length', 'this.#size = 0'],
    ['requests written twice', 'return { times, mark: this.#recorded }', 'return { times, mark }'],
  ),
  ...inFile(
    'ledger/token-window.ts',
    ['restored tokens forgotten', 'add(second.tokens, second.latest)', 'void second'],
    ['excess counted twice', 'used > tokens + excess', 'used > tokens'],
    ['excess before its charge forgotten', '    reservation.excess += more\n', ''],
    [
      'returns of a settlement not written',
      '      bucket.changedAt = this.#changes\n      bucket.tokens -=',
      '      bucket.tokens -=',
    ],
  ),
  ...inFile(
    'limits/memory/change-tracker.ts',
    ['change not written', 'if (waits.commit && waits.second) return', 'if (waits.second) return'],
    ['failed write forgotten', 'for (const state of states) this.note(state)', ''],
    ['written though it was not', "if (scope === 'second') saved.second = mark", 'saved.second = mark'],
  ),
  ...inFile(
    'limits/windows/create-window-journal.ts',
    [
      'rows of commits kept next to their second',
      'drop: [...replaced, ...rides, ...expired]',
      'drop: [...replaced, ...expired]',
    ],
    ['rows of the previous process kept', '[{ from: 0, through: last }]', '[]'],
    ['rows dropped while they count', 'at + windowMs <= now', 'at <= now'],
  ),
  ...inFile(
    'limits/windows/replay-rows.ts',
    [
      'first report of a second counts',
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
      'if (!this.#windowsDue && this.#windowsFailed) return null',
      'if (!this.#windowsDue) return null',
    ],
    [
      'windows of the last settlements lost',
      '    this.#windowsDue = true\n    this.#wake()\n    await this.#running\n',
      '',
    ],
    [
      'a bad charge keeps the windows off the disk',
      'await this.#commit([], [], windows).catch(failure => this.#leaveWindows(windows, failure))',
      'this.#leaveWindows(windows, error)',
    ],
  ),
  ...inFile(
    'gateway/flow/meter.ts',
    ['charged above the hold', 'if (cost > admitted.hold.amount) {', 'if (cost < 0n) {'],
    [
      'the ratio is of the raised hold',
      'ratioOf(cost, hold.amount, basis.ratio)',
      'ratioOf(cost, hold.amount, 1_000_000)',
    ],
    ['an absurd excess is believed', '  return tokens > 0 && cost <= most', '  return true || cost <= most'],
    ['charged above the hold by one', 'cost > admitted.hold.amount', 'cost > admitted.hold.amount + 1'],
    ['excess forgotten in the window', '{ ...excess, tokens } : excess', 'excess : excess'],
    [
      'an impossible figure fills the window',
      '{ ...excess, tokens } : excess',
      '{ ...excess, tokens } : { ...excess, tokens }',
    ],
    [
      'reported usage not stored',
      'const reported = said === null ? null : writeReported(said)',
      'const reported = null',
    ],
    [
      'absent usage is free',
      "chargeHold(admitted, 'usage_absent')",
      "{ ...chargeHold(admitted, 'usage_absent'), cost: nanoDollars(0) }",
    ],
    ['an estimate passes for usage', "flag: 'estimated', reported: null", 'reported: null'],
    [
      'an unpriced unit passes for an estimate',
      "whole.flag !== null && whole.flag !== 'usage_above_hold'",
      'whole.flag === null && whole.units === null',
    ],
  ),
  ...inFile(
    'gateway/flow/settle.ts',
    [
      'a failed count prevents the charge',
      '    dependencies.observeCharge(metered)\n  } catch (error) {\n',
      '    dependencies.observeCharge(metered)\n  } catch (error) {\n    throw error\n',
    ],
    [
      'a failing clock keeps the hold',
      '    now = dependencies.clock()\n  } catch (error) {\n',
      '    now = dependencies.clock()\n  } catch (error) {\n    throw error\n',
    ],
    [
      'the hold outlives the charge',
      '  dependencies.limits.settle(hold, { cost, tokens: metered.tokens })\n',
      '',
    ],
  ),
  {
    file: 'ledger/refund.ts',
    name: 'refund charged',
    find: 'cost: -charge.cost',
    replace: 'cost: charge.cost',
    noticedBy: [
      {
        suite: 'src/store/sqlite/store-suite.test.ts',
        test: 'a failed task is refunded once',
        needsPostgres: false,
      },
    ],
  },
  ...inFile(
    'gateway/flow/held-call.ts',
    [
      'failed work keeps its hold',
      '    if (!held.hasEnded) await held.giveUp()\n    throw failure',
      '    throw failure',
    ],
    [
      'forgotten work keeps its hold',
      '    if (!held.hasEnded && !held.isOutlived) await held.giveUp()\n',
      '',
    ],
    ['ended twice', 'this.ending ??=', 'this.ending ='],
    ['unmeasurable work is free', "return chargeHold(this.charged, 'not_metered')", 'return null'],
    ['the row of a stream stays', '() => writer.dropStream(id)', 'async () => undefined'],
    [
      'an order ends like any call',
      'if (this.last === null) return await',
      'if (this.last !== undefined) return await',
    ],
  ),
  ...inFile(
    'gateway/flow/release.ts',
    ['released without notifying the limits', 'limits.release(hold)', 'undefined as unknown'],
    ['the answer does not wait for its slot', 'awaitBriefly(released.catch(report), after)', 'null'],
    ['the answer waits forever', 'after(longestWaitMs, resolve)', '() => undefined'],
    ['a failed release loses the answer', 'released.catch(report)', 'released'],
  ),
  ...inFile('gateway/flow/admit.ts', [
    'the deciding count is forgotten',
    'countedInput: better.inputTokens',
    'countedInput: null',
  ]),
  ...largeFiles(
    'gateway/conversation/measure-input.ts',
    'src/gateway/conversation/measure-input.test.ts',
    'a file that stays a reference may fill the whole context',
    [
      'a large file is held as one page',
      'return part.file.file_data ? documentTokens',
      'return true ? documentTokens',
    ],
  ),
  ...largeFiles(
    'gateway/endpoints/pass-through/measure-prompt.ts',
    'src/gateway/endpoints/pass-through/plan-generate.test.ts',
    'a large file holds the whole context',
    ['a large file of the pass-through holds nothing', '...large.map(', '...[].map('],
  ),
  ...largeFiles(
    'upstream/kept-uploads.ts',
    'src/upstream/kept-uploads.test.ts',
    'calls that wait for the same file share its upload',
    ['a stream that is left after its upload is free', '        sent.isSent = true\n', ''],
  ),
]
