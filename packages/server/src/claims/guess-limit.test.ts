// Guessing is slowed per address and over all; who has not guessed is let in.
import { expect, test } from 'bun:test'
import { GuessLimit } from './guess-limit.ts'

function open() {
  const time = { now: 1_000_000 }
  const limit = new GuessLimit(() => time.now)
  const isHeld = (address: string | null) => {
    try {
      limit.check(address)
      return null
    } catch (error) {
      return error
    }
  }
  const guess = (address: string | null, times = 1) => {
    for (let count = 0; count < times; count += 1) limit.noteWrong(address)
  }
  return { time, isHeld, guess }
}

test('ten wrong codes in a minute hold an address up, and no other', () => {
  const { time, isHeld, guess } = open()
  guess('192.0.2.1', 9)
  expect(isHeld('192.0.2.1')).toBeNull()
  guess('192.0.2.1')
  time.now += 20_000
  expect(isHeld('192.0.2.1')).toMatchObject({
    code: 'too_many_guesses',
    status: 429,
    headers: { 'retry-after': '40' },
  })
  expect(isHeld('192.0.2.2')).toBeNull()
  time.now += 40_000
  expect(isHeld('192.0.2.1')).toBeNull()
})

test('while all together guess much, who has guessed in this minute gets no further guess', () => {
  const { time, isHeld, guess } = open()
  for (let address = 0; address < 200; address += 1) guess(`192.0.2.${address}`)
  expect(isHeld('192.0.2.7')).toMatchObject({ code: 'too_many_guesses' })
  expect(isHeld('198.51.100.1')).toBeNull()
  time.now += 60_000
  expect(isHeld('192.0.2.7')).toBeNull()
})

test('the addresses of one IPv6 network count together, however they are written', () => {
  const { isHeld, guess } = open()
  for (let host = 0; host < 10; host += 1) guess(`2001:db8:0:1::${host}`)
  expect(isHeld('2001:0db8::1:ffff:0:0:1')).not.toBeNull()
  expect(isHeld('2001:db8:0:2::1')).toBeNull()
  expect(isHeld('::1')).toBeNull()
})

test('its memory is bounded: the address that has been quiet for longest is forgotten', () => {
  const { isHeld, guess } = open()
  guess('first', 10)
  for (let address = 0; address < 10_000; address += 1) guess(`a${address}`)
  expect(isHeld('first')).toBeNull()
  guess(null, 10)
  expect(isHeld(null)).not.toBeNull()
})
