// Keeps texts in plain English (CONTRIBUTING.md): prints each string that contains one of the phrases below, and each commit subject
// that is too long. Reviewers judge comments and identifiers.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Phrases to avoid, and what to write instead. "where" for a place and "tell" for a person are right. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\b(?:is|are|was|were|be|been|being|gets?|got) told\b/i, 'notify, show, report, or name who gets it'],
  [/\b(?:null|absent|empty|none|only|except) where\b/i, 'if, when, unless'],
  [/\bany more(?=[.,;:!?)]|$)/i, 'no longer'],
  [/\b(?:anew|hardly)\b/i, 'again; barely'],
  [/\b(?:is|are) in force\b/i, 'applies, is active'],
  [/\bstands? (?:in|on) (?:the|a|an|its)\b/i, 'is in'],
  [/\b(?:whoever|whom)\b/i, 'the caller, the client'],
  [/\bnobody (?:is|has|can|may|else)\b/i, 'no one'],
  [/\bbeside\b/i, 'next to, besides'],
  [/\bcannot be taken\b|\bnot to be had\b/i, 'what is wrong, and what is allowed'],
  [/\bgoes? to (?:its|their) end\b/i, 'finishes'],
]

/** Checks commit subjects from this time on; earlier ones predate the check. */
const since = '2026-11-28T03:30:00Z'
const maxSubject = 72

function listSources(): string[] {
  const listed = Bun.spawnSync(['git', 'ls-files', '--', 'packages', 'scripts'], {
    cwd: root,
  }).stdout.toString()
  return listed
    .split('\n')
    .filter(
      path =>
        /\.tsx?$/.test(path) &&
        !/\.test\.tsx?$|\/(?:testing|journeys|mutations|hostile|__fixtures__|dist)\//.test(path) &&
        path !== 'scripts/check-words.ts',
    )
}

type Finding = { readonly line: number; readonly text: string; readonly advice: string }

/** Searches string literals, templates and JSX text. */
function findPhrases(path: string, source: string): Finding[] {
  const findings: Finding[] = []
  const check = (written: string, start: number) => {
    const text = written.replaceAll(/\s+/g, ' ').trim()
    for (const [phrase, advice] of phrases)
      if (text.includes(' ') && phrase.test(text))
        findings.push({ line: source.slice(0, start).split('\n').length, text: text.slice(0, 160), advice })
  }
  const visitor = new Visitor({
    Literal: ({ value, start }) => {
      if (typeof value === 'string') check(value, start)
    },
    TemplateElement: ({ value, start }) => check(value.raw, start),
    JSXText: ({ value, start }) => check(value, start),
  })
  visitor.visit(parseSync(path, source).program)
  return findings
}

/** This branch's subjects; none in a checkout without history. */
function findLongSubjects(): string[] {
  const log = Bun.spawnSync(['git', 'log', '--no-merges', `--since=${since}`, '--format=%h %s'], {
    cwd: root,
  })
  return log.stdout
    .toString()
    .split('\n')
    .filter(line => line.slice(line.indexOf(' ') + 1).length > maxSubject)
}

let count = 0
for (const path of listSources())
  for (const { line, text, advice } of findPhrases(path, readFileSync(`${root}${path}`, 'utf8'))) {
    count += 1
    console.log(`${path}:${line}: "${text}" (write: ${advice})`)
  }
for (const line of findLongSubjects()) {
  count += 1
  console.log(`commit ${line}: shorten the subject to at most ${maxSubject} characters`)
}
process.exit(count === 0 ? 0 : 1)
