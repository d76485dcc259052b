// Documents that hide their pages are never counted as fewer pages than a reader finds.
//
// Shown to fail on the previous build, which divided the bytes by 1,500: 19 pages of 3,000, and 1 page if objects are packed.
import { expect, test } from 'bun:test'
import { boundPages, likelyPages } from './bound-pages.ts'
import { writeCrowdedPdf } from './testing/lying-media.ts'

const pdf = (text: string) => `%PDF-1.7\n${text}`
const one = '2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj'

test.each([
  ['one page', pdf(one), 1],
  ['a false count', pdf('2 0 obj<</Count 1/Kids [ 3 0 R\n4 0 R\t5 0 R ]>>'), 3],
  ['a page named many times', writeCrowdedPdf(3000).toString('latin1'), 3000],
  ['zero bytes as white space', pdf('2 0 obj<</Kids\0[3\0 0 R 3 0\0R]>>'), 2],
  ['an empty list', pdf('2 0 obj<</Kids[]>>'), 1],
  ['nodes below nodes', pdf(`${one} 4 0 obj<</Kids[3 0 R 3 0 R]>>`), Infinity],
  ['packed objects', pdf(`${one} 9 0 obj<</Type/ObjStm>>stream`), Infinity],
  ['packed objects by another name', pdf(`${one} 9 0 obj<</Type/O#62jStm>>stream`), Infinity],
  ['a second list by another name', pdf(`${one} 4 0 obj<</#4bi#64s[3 0 R]>>`), Infinity],
  ['a list elsewhere', pdf('2 0 obj<</Kids 5 0 R>> 5 0 obj[3 0 R 3 0 R]'), Infinity],
  ['a comment in the list', pdf('2 0 obj<</Kids[3 0 R %]\n3 0 R]>>'), Infinity],
  ['pages in the list itself', pdf('2 0 obj<</Kids[<</Type/Page>>]>>'), Infinity],
  ['a list without an end', pdf('2 0 obj<</Kids[3 0 R'), Infinity],
  ['no tree', pdf(''), Infinity],
  ['not a PDF', one, Infinity],
  ['a large document', pdf(one) + ' '.repeat(1024 ** 2), Infinity],
])('%s', (_, document, pages) => {
  expect(boundPages(Buffer.from(document, 'latin1').toString('base64'))).toBe(pages)
})

test('the likely number is based on typical pages', () => {
  expect([1, 1500, 1501].map(bytes => likelyPages(Buffer.alloc(bytes).toString('base64')))).toEqual([1, 1, 2])
})
