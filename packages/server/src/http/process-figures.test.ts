// The figures of the process are available even when nothing can be opened: that is when they are needed.
import { expect, test } from 'bun:test'
import { createProcessFigures } from './process-figures.ts'

const limits =
  'Limit  Soft Limit  Hard Limit  Units\nMax open files            128                  4096                 files\n'

// Shown to fail on the previous build: `rss()` threw, and the scrape was answered with 500.
test('if no descriptor is free all count as open, and the last memory figure is shown', () => {
  let isOut = false
  const orFail = <Value>(value: Value) => {
    if (isOut) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' })
    return value
  }
  const figures = createProcessFigures({
    readLimits: () => orFail(limits),
    listDescriptors: () => orFail(['0', '1', '2', '3']),
    residentBytes: () => orFail(1000),
  })
  expect([figures.openDescriptors(), figures.maximumDescriptors, figures.residentBytes()]).toEqual([
    3, 128, 1000,
  ])
  isOut = true
  expect([figures.openDescriptors(), figures.maximumDescriptors, figures.residentBytes()]).toEqual([
    128, 128, 1000,
  ])
})

test('if the system has no such files, descriptors are not reported', () => {
  const nothing = () => {
    throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
  }
  const figures = createProcessFigures({
    readLimits: nothing,
    listDescriptors: nothing,
    residentBytes: () => 5,
  })
  expect([figures.openDescriptors(), figures.maximumDescriptors, figures.residentBytes()]).toEqual([
    null,
    null,
    5,
  ])
})
