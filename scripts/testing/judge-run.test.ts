import { expect, test } from 'bun:test'
import { judgeRun } from './judge-run.ts'
import { readReport } from './read-report.ts'

const green = { file: 'a.test.ts', passed: 3, skipped: 0, failures: [] }
const red = { file: 'b.test.ts', passed: 1, skipped: 0, failures: ['limits > hold'] }

test('a run is green when every test passed', () => {
  expect(judgeRun([green], [], 0)).toMatchObject({ passed: 3, failed: 0, flakyFiles: 0, isGreen: true })
})

test('a file that passes alone is flaky: it is named and counted as passed, and the run stays green', () => {
  const outcome = judgeRun([green, red], [{ ...red, passed: 2, failures: [] }], 0)
  expect(outcome).toEqual({
    passed: 5,
    failed: 0,
    skipped: 0,
    failures: [],
    flaky: ['b.test.ts: limits > hold'],
    flakyFiles: 1,
    isGreen: true,
  })
})

test('a file that fails again, or was not run again, makes the run red', () => {
  const expected = { failed: 1, failures: ['b.test.ts: limits > hold'], flakyFiles: 0, isGreen: false }
  expect(judgeRun([red], [red], 0)).toMatchObject(expected)
  expect(judgeRun([red], [], 0)).toMatchObject(expected)
})

test('three flaky files, a skipped test, a stray error or no tests make the run red', () => {
  const files = ['a', 'b', 'c'].map(file => ({ ...red, file }))
  const alone = files.map(result => ({ ...result, passed: 2, failures: [] }))
  expect(judgeRun(files, alone, 0)).toMatchObject({ failed: 0, flakyFiles: 3, isGreen: false })
  expect(judgeRun([{ ...green, skipped: 1 }], [], 0).isGreen).toBe(false)
  expect(judgeRun([green], [], 1)).toMatchObject({ failed: 1, isGreen: false })
  expect(judgeRun([], [], 0).isGreen).toBe(false)
})

test("the runner's report has groups, escaped names, skipped tests, crashes, and files that never began", () => {
  const xml = `<testsuites><testsuite name="a" file="a.test.ts"><testcase name="ok" classname="" file="a.test.ts" />
    <testsuite name="group"><testcase name="bad &lt;x&gt; &amp; &#10;" classname="group" file="a.test.ts"><failure message="&lt;testcase" /></testcase>
    <testcase name="later" classname="group" file="a.test.ts"><skipped message="TODO" /></testcase></testsuite></testsuite>
    <testsuite><testcase name="(worker crashed)" classname="" file="c.test.ts"><failure /></testcase></testsuite></testsuites>`
  expect(readReport(['a.test.ts', 'b.test.ts', 'c.test.ts'], xml)).toEqual([
    { file: 'a.test.ts', passed: 1, skipped: 1, failures: ['group > bad <x> & \n'] },
    { file: 'b.test.ts', passed: 0, skipped: 0, failures: ['broke before its first test'] },
    { file: 'c.test.ts', passed: 0, skipped: 0, failures: ['(worker crashed)'] },
  ])
})
