// A recorder's report about itself is read back unchanged, and nothing else is mistaken for one.
import { expect, test } from 'bun:test'
import { type RecorderReport, readRecorderReport, writeRecorderReport } from './recorder-report.ts'

const report: RecorderReport = {
  version: '0.1.0',
  cloneId: '1a2b3c4d',
  unsent: 12,
  oldestSeconds: 340,
  rejected: 2,
  gone: ['codex', 'gemini'],
  sentSeconds: 1_795_258_800,
}

test('a written report is read back unchanged', () => {
  expect(writeRecorderReport(report)).toBe(
    'version=0.1.0; clone=1a2b3c4d; unsent=12; oldest=340; rejected=2; gone=codex,gemini; sent=1795258800',
  )
  const quiet = { ...report, unsent: 0, oldestSeconds: null, rejected: 0, gone: [], sentSeconds: null }
  for (const each of [report, quiet]) expect(readRecorderReport(writeRecorderReport(each))).toEqual(each)
  expect(readRecorderReport(`${writeRecorderReport(report)}; later=1`)).toEqual(report)
})

test.each([
  '',
  'version=0.1.0',
  'version=0.1.0; clone=1a2b3c4d',
  'version=; clone=1a2b3c4d; unsent=1',
  'version=<b>; clone=1a2b3c4d; unsent=1',
  'version=0.1.0; clone=1A2B3C4D; unsent=1',
  'version=0.1.0; clone=1a2b3c4d; unsent=-1',
  'version=0.1.0; clone=1a2b3c4d; unsent=1e9',
  `version=0.1.0; clone=1a2b3c4d; unsent=1; ${'x'.repeat(512)}`,
])('%s is not a report', text => {
  expect(readRecorderReport(text)).toBeNull()
})
