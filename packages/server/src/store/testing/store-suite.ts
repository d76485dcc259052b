// Tests for every engine of the store, statement by statement; each engine's own test calls them.
import { afterAll, afterEach, beforeAll, describe } from 'bun:test'
import type { Store } from '../store.ts'
import { describeAdjustments } from './suite/describe-adjustments.ts'
import { describeAdminKeys } from './suite/describe-admin-keys.ts'
import { describeAudit } from './suite/describe-audit.ts'
import { describeBoards } from './suite/describe-boards.ts'
import { describeCalls } from './suite/describe-calls.ts'
import { describeCharges } from './suite/describe-charges.ts'
import { describeClaims } from './suite/describe-claims.ts'
import { describeConditionStarts } from './suite/describe-condition-starts.ts'
import { describeEntries } from './suite/describe-entries.ts'
import { describeFiles } from './suite/describe-files.ts'
import { describeIdempotentCalls } from './suite/describe-idempotent-calls.ts'
import { describeJudging } from './suite/describe-judging.ts'
import { describeKeys } from './suite/describe-keys.ts'
import { describeLogTokens } from './suite/describe-log-tokens.ts'
import { describeMembers } from './suite/describe-members.ts'
import { describeProcesses } from './suite/describe-processes.ts'
import { describeRecentWork } from './suite/describe-recent-work.ts'
import { describeRecorders } from './suite/describe-recorders.ts'
import { describeSessionItems } from './suite/describe-session-items.ts'
import { describeSpend } from './suite/describe-spend.ts'
import { describeStoredResponses } from './suite/describe-stored-responses.ts'
import { describeStreams } from './suite/describe-streams.ts'
import { describeTeams } from './suite/describe-teams.ts'
import { describeTransactions } from './suite/describe-transactions.ts'
import { describeUncharged } from './suite/describe-uncharged.ts'
import { describeVideoTasks } from './suite/describe-video-tasks.ts'
import { describeWebhooks } from './suite/describe-webhooks.ts'
import { describeWindowRows } from './suite/describe-window-rows.ts'

export type OpenedStore = {
  readonly store: Store
  /** Removes every row, bypassing the store: opening one for each test took most of the suite's time. */
  readonly empty: () => Promise<void>
  /** Closes the store and removes its data. */
  readonly dispose: () => Promise<void>
}

/** `open` returns an empty store. */
export function describeStore(name: string, open: () => Promise<OpenedStore>): void {
  describe(name, () => {
    let opened: OpenedStore
    beforeAll(async () => {
      opened = await open()
    })
    afterEach(() => opened.empty())
    afterAll(() => opened.dispose())

    const current = () => opened.store
    describe('charges and totals', () => describeCharges(current))
    describe('adjustments', () => describeAdjustments(current))
    describe('the record of calls', () => describeCalls(current))
    describe('sums of spend', () => describeSpend(current))
    describe('recent work', () => describeRecentWork(current))
    describe('items of a session', () => describeSessionItems(current))
    describe('recorders', () => describeRecorders(current))
    describe('processes', () => describeProcesses(current))
    describe('running streams', () => describeStreams(current))
    describe('uploaded files', () => describeFiles(current))
    describe('video tasks', () => describeVideoTasks(current))
    describe('idempotent calls', () => describeIdempotentCalls(current))
    describe('stored responses', () => describeStoredResponses(current))
    describe('teams', () => describeTeams(current))
    describe('judging', () => describeJudging(current))
    describe('gateway keys', () => describeKeys(current))
    describe('log tokens', () => describeLogTokens(current))
    describe('admin keys', () => describeAdminKeys(current))
    describe('members', () => describeMembers(current))
    describe('claims', () => describeClaims(current))
    describe('uncharged use', () => describeUncharged(current))
    describe('condition starts', () => describeConditionStarts(current))
    describe('webhooks', () => describeWebhooks(current))
    describe('audit', () => describeAudit(current))
    describe('boards', () => describeBoards(current))
    describe('entries', () => describeEntries(current))
    // PostgreSQL keeps windows elsewhere (`admit_2`).
    if (name === 'SQLite') describe('window rows', () => describeWindowRows(current))
    describe('transactions', () => describeTransactions(current))
  })
}
