// Nothing that a judge writes is lost between the keyboard and the server. Each of these faults makes a test here fail: `isOwn` is
// always false; `accept` takes the server's text; `toKeep` keeps nothing; strays are not joined; `joinTexts` returns one side.
import { describe, expect, test } from 'bun:test'
import type { JudgementReply } from '@fairgate/contracts/judging/scores.ts'
import fc from 'fast-check'
import { joinTexts } from './join-judgements.ts'
import { changeScore, isSame, noScore, nothingWritten, toContent, type Written } from './judgement.ts'
import {
  advance,
  type Behind,
  isFrozen,
  isUnsaved,
  type Kept,
  nextTask,
  openBehind,
  toKeep,
} from './write-behind.ts'

type Request = {
  readonly task: 'read' | 'save' | 'finish'
  readonly revision: number
  readonly content: Written
  readonly device: string
}

/** Compare-and-set by revision, like the server. */
class Server {
  content = nothingWritten
  revision = 0
  device: string | null = null
  isDone = false

  answer({ task, revision, content, device }: Request): JudgementReply | 409 {
    if (task !== 'read') {
      if (this.isDone || revision !== this.revision) return 409
      this.revision += 1
      if (task === 'save') {
        this.content = content
        this.device = device
      } else this.isDone = true
    }
    return this.reply()
  }

  reopen(): void {
    this.isDone = false
    this.revision += 1
  }

  reply(): JudgementReply {
    return {
      team: '17',
      own: {
        ...toContent(this.content),
        revision: this.revision,
        state: this.isDone ? 'done' : 'begun',
        saved_at: '2026-11-28T10:00:00.000Z',
        device: this.device,
        paper: false,
        reason: null,
      },
      others: null,
      as_of: '2026-11-28T10:00:01.000Z',
    }
  }
}

/** A tab of a browser: the judgement in memory, what its storage keeps, and the request on its way. */
class Tab {
  readonly name: string
  behind: Behind = openBehind([])
  kept: Kept | null = null
  request: Request | null = null

  constructor(name: string) {
    this.name = name
  }

  apply(...happening: Parameters<typeof advance>[1][]): void {
    for (const each of happening) this.behind = advance(this.behind, each)
    // Until the first reply, the storage stays as the last page left it.
    if (this.behind.server !== null) this.kept = JSON.parse(JSON.stringify(toKeep(this.behind)))
  }

  send(): void {
    const task = nextTask(this.behind)
    if (task === null || this.request !== null) return
    this.apply({ kind: 'started', task })
    const { revision, written } = this.behind
    this.request = { task, revision, content: written, device: this.name }
  }

  hear(reply: JudgementReply | 409 | 'nothing'): void {
    this.request = null
    const before = this.behind
    this.#take(reply)
    for (const id of ['a', 'b']) {
      const [unsaved, saved, now] = [before.written, before.base, this.behind.written].map(
        ({ scores }) => (scores[id] ?? noScore).score,
      )
      if (unsaved !== saved) expect(now as number).toBe(unsaved as number)
    }
  }

  #take(reply: JudgementReply | 409 | 'nothing'): void {
    if (reply === 'nothing') this.apply({ kind: 'failed', status: 0, message: 'No connection' })
    else if (reply === 409) this.apply({ kind: 'failed', status: 409, message: 'Outdated' })
    else this.apply({ kind: 'replied', reply, device: this.name })
  }

  reload(): void {
    this.request = null
    this.behind = openBehind(this.kept === null ? [] : [this.kept])
  }
}

type Move =
  | { readonly kind: 'type' | 'score'; readonly tab: number; readonly field: number }
  | {
      readonly kind:
        | 'send'
        | 'arrive'
        | 'lose request'
        | 'lose reply'
        | 'delay'
        | 'reload'
        | 'wake'
        | 'notice'
        | 'finish'
      readonly tab: number
    }
  | { readonly kind: 'late arrival' | 'reopen' }

const tabMoves = fc.record({
  kind: fc.constantFrom(
    'send' as const,
    'send' as const,
    'arrive' as const,
    'arrive' as const,
    'lose request' as const,
    'lose reply' as const,
    'delay' as const,
    'reload' as const,
    'wake' as const,
    'notice' as const,
    'finish' as const,
  ),
  tab: fc.nat(1),
})
const moves: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('type' as const, 'score' as const),
      tab: fc.nat(1),
      field: fc.nat(3),
    }),
  },
  { weight: 6, arbitrary: tabMoves },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('late arrival' as const, 'reopen' as const) }) },
)

const fields = ['a', 'b', 'team', 'judges'] as const
const textOf = (written: Written, field: (typeof fields)[number]): string =>
  field === 'team'
    ? written.commentTeam
    : field === 'judges'
      ? written.commentJudges
      : (written.scores[field]?.why ?? '')
const withText = (written: Written, field: (typeof fields)[number], text: string): Written =>
  field === 'team'
    ? { ...written, commentTeam: text }
    : field === 'judges'
      ? { ...written, commentJudges: text }
      : changeScore(written, field, { why: text })

class Day {
  readonly server = new Server()
  readonly tabs = [new Tab('one'), new Tab('two')] as const
  readonly typed: { readonly field: (typeof fields)[number]; readonly word: string }[] = []
  /** Scores by criterion, newest last, with the tab that gave them. */
  readonly scored: { readonly id: string; readonly score: number; readonly tab: Tab }[] = []
  #delayed: Request[] = []
  #count = 0

  make(move: Move): void {
    if (!('tab' in move)) {
      const late = move.kind === 'late arrival' ? this.#delayed.shift() : undefined
      if (late !== undefined) this.server.answer(late)
      if (move.kind === 'reopen' && this.server.isDone) this.server.reopen()
      return
    }
    const tab = this.tabs[move.tab === 0 ? 0 : 1]
    const canWrite = tab.behind.server !== null && !isFrozen(tab.behind) && tab.behind.busy !== 'finish'
    switch (move.kind) {
      case 'type': {
        if (!canWrite) return
        this.#count += 1
        const word = `<${this.#count}>`
        const field = fields[move.field] ?? 'a'
        const before = textOf(tab.behind.written, field)
        const text = this.#count % 3 === 0 ? `${word}${before}` : `${before}${word}`
        tab.apply({ kind: 'edited', written: withText(tab.behind.written, field, text) })
        this.typed.push({ field, word })
        return
      }
      case 'score': {
        if (!canWrite) return
        this.#count += 1
        const id = move.field % 2 === 0 ? 'a' : 'b'
        tab.apply({ kind: 'edited', written: changeScore(tab.behind.written, id, { score: this.#count }) })
        this.scored.push({ id, score: this.#count, tab })
        return
      }
      case 'finish':
        if (canWrite && tab.behind.doubts.length === 0) tab.apply({ kind: 'finishes' })
        return
      case 'send':
        tab.send()
        return
      case 'arrive':
        if (tab.request !== null) tab.hear(this.server.answer(tab.request))
        return
      case 'lose request':
        if (tab.request !== null) tab.hear('nothing')
        return
      case 'lose reply':
        if (tab.request === null) return
        this.server.answer(tab.request)
        tab.hear('nothing')
        return
      case 'delay':
        if (tab.request === null) return
        this.#delayed.push(tab.request)
        tab.hear('nothing')
        return
      case 'reload':
        if (tab.request !== null) this.#delayed.push(tab.request)
        tab.reload()
        return
      case 'wake':
        tab.apply({ kind: 'woke' })
        return
      case 'notice':
        tab.apply({ kind: 'noticed' })
        return
    }
  }

  /** The connection works again, the judge opens what is finished, and both pages come to rest. */
  settle(): void {
    this.#delayed = []
    for (const tab of this.tabs)
      if (tab.request !== null) this.make({ kind: 'arrive', tab: this.tabs.indexOf(tab) })
    for (let round = 0; round < 40; round += 1) {
      if (this.server.isDone) this.server.reopen()
      for (const tab of this.tabs) {
        tab.apply({ kind: 'woke' }, { kind: 'noticed' })
        tab.send()
        for (let step = 0; step < 10 && tab.request !== null; step += 1) {
          tab.hear(this.server.answer(tab.request))
          tab.send()
        }
      }
    }
  }
}

const played = (all: readonly Move[]): Day => {
  const day = new Day()
  for (const tab of day.tabs) {
    tab.send()
    if (tab.request !== null) tab.hear(day.server.answer(tab.request))
  }
  for (const move of all) day.make(move)
  return day
}

describe('the way to the server', () => {
  test('any edits, lost replies, conflicts and reloads end with every word on the server, and both pages show the same', () => {
    fc.assert(
      fc.property(fc.array(moves, { maxLength: 60 }), all => {
        const day = played(all)
        day.settle()
        const { content } = day.server
        for (const { field, word } of day.typed) expect(textOf(content, field)).toContain(word)
        for (const tab of day.tabs) {
          expect(isSame(tab.behind.written, content)).toBe(true)
          expect(isUnsaved(tab.behind)).toBe(false)
          expect(tab.kept === null || tab.kept.doubts.length > 0).toBe(true)
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('one page alone is never asked anything, and its last score counts', () => {
    const single = moves.map((move): Move => ('tab' in move ? { ...move, tab: 0 } : move))
    fc.assert(
      fc.property(fc.array(single, { maxLength: 60 }), all => {
        const day = played(all)
        day.settle()
        expect(day.tabs[0].behind.doubts).toEqual([])
        for (const id of ['a', 'b']) {
          const last = day.scored.findLast(each => each.id === id)
          expect((day.server.content.scores[id] ?? noScore).score).toBe(last?.score ?? null)
        }
        for (const field of fields) expect(textOf(day.server.content, field)).not.toContain('other device')
      }),
      { numRuns: 1000 },
    )
  })
})

test('texts of two devices are joined', () => {
  expect(joinTexts('Plans', 'Plans', 'Plans first')).toBe('Plans first')
  expect(joinTexts('Plans', 'Plans first', 'Plans')).toBe('Plans first')
  expect(joinTexts('Plans. Tests.', 'Plans a lot. Tests.', 'Plans. Tests all.')).toBe(
    'Plans a lot. Tests all.',
  )
  expect(joinTexts('', 'Reads', 'Reads all')).toBe('Reads all')
  expect(joinTexts('', 'Mine', 'Theirs')).toBe('Mine\n— also written on your other device: Theirs')
  expect(joinTexts('Old', '', 'Old')).toBe('')
  expect(joinTexts('Old', 'Old', '')).toBe('')
  // Further typing on the other device, after this one has joined both.
  const joined = joinTexts('', 'Mine', 'Theirs')
  expect(joinTexts('Theirs', 'Theirs, more', joined)).toBe(`${joined}, more`)
})
