// Rows of a CSV file: quotes, and every way in which a file can end.
import { expect, test } from 'bun:test'
import { refusalOf } from '../testing/refusal-of.ts'
import { readCsvRows } from './read-csv-rows.ts'

// Before, a last line that ended with a comma was lost.
test.each([
  [
    'a,b\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\r\n1,2\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\n1,',
    [
      ['a', 'b'],
      ['1', ''],
    ],
  ],
  [
    'a,b,c\n1,,',
    [
      ['a', 'b', 'c'],
      ['1', '', ''],
    ],
  ],
  ['\ufeffa\n\n,\n"1,""2\n3"', [['a'], ['1,"2\n3']]],
  ['a,b\n,', [['a', 'b']]],
  ['', []],
])('%j', (text, rows) => {
  expect(readCsvRows('csv', text).map(({ cells }) => [...cells])).toEqual(rows)
})

test('a quote without an end is refused with its line', async () => {
  expect(await refusalOf(() => readCsvRows('csv', 'a\n"b'))).toMatchObject({ param: 'csv' })
})
