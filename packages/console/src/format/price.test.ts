// Prices as they are in the catalog.
import { expect, test } from 'bun:test'
import { choosePrices, formatPrice, formatUsd, namePrice } from './price.ts'

test.each([
  [2, '$2.00'],
  [0.125, '$0.125'],
  [0.0000002, '$0.0000002'],
  [18, '$18.00'],
  [1.2345, '$1.234'],
  [0, '$0.00'],
  [1250, '$1250.00'],
])('%d USD are shown as %s', (usd, shown) => {
  expect(formatUsd(usd)).toBe(shown)
})

test('names of price units', () => {
  expect([formatPrice('input', 2), formatPrice('second_720p', 0.4), formatPrice('image', 0.039)]).toEqual([
    '$2.00 per 1 M',
    '$0.40 a second',
    '$0.039 an image',
  ])
  expect(['cached_input', 'cachedInput', 'second_720p'].map(namePrice)).toEqual([
    'cached input',
    'cached input',
    '720p',
  ])
})

test('prices equal to those of plain input or output are not repeated', () => {
  const price = {
    input: 0.3,
    input_image: 0.3,
    input_audio: 1,
    cached_input: 0.03,
    output: 2.5,
    reasoning: 2.5,
  }
  expect(choosePrices(price)).toEqual([
    ['input', 0.3],
    ['input_audio', 1],
    ['cached_input', 0.03],
    ['output', 2.5],
  ])
  expect(choosePrices({ image: 0.04 })).toEqual([['image', 0.04]])
})
