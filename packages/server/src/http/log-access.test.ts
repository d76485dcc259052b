// The line of a request is the same, byte for byte, whether pino writes it or we do.
import { expect, test } from 'bun:test'
import { pino } from 'pino'
import { type AccessFacts, createFastLogAccess, createLogAccess } from './log-access.ts'

const facts: AccessFacts = {
  door: 'gateway',
  method: 'POST',
  route: '/v1/chat/completions',
  status: 200,
  milliseconds: 12.34,
  callId: '01990000-0000-7000-8000-000000000000',
  notes: {},
}

/** Time stands still for both writers. */
function writeBoth(given: AccessFacts, level = 'info'): { readonly pinos: string; readonly ours: string } {
  const lines: string[] = []
  const output = { write: (line: string) => void lines.push(line) }
  const log = pino({ level, base: null, timestamp: () => ',"time":1700000000000' }, output)
  createLogAccess(log)(given)
  const pinos = lines.splice(0).join('')
  createFastLogAccess(log, output, () => 1_700_000_000_000)(given)
  return { pinos, ours: lines.join('') }
}

const hostileTexts = [
  '',
  'plain',
  '"quoted" and \\backslashed\\',
  'line\nfeed\r\t\b\f\u0000\u001f\u007f',
  '\u2028\u2029 ü é 漢字',
  'pair 😀, alone \ud800, reversed \udc00\ud83d',
  '</script>{"level":60}\n{"door":"forged"}',
  'x'.repeat(100),
  `${'x'.repeat(100)}"\n\ud800`,
]

test.each(hostileTexts)('a text is escaped as pino escapes it: %j', text => {
  const { pinos, ours } = writeBoth({
    ...facts,
    method: text,
    route: text,
    callId: text,
    notes: { key_name: text, [text]: text },
  })
  expect(ours).toBe(pinos)
  expect(ours).toEndWith('}\n')
})

test('numbers, booleans, null, absent and non-plain values are written as pino writes them', () => {
  const values = [0, -0, 1.5, 1e21, 1e-7, Number.NaN, Number.POSITIVE_INFINITY, true, false, null, undefined]
  for (const value of [...values, 12n, { deep: ['x'] }, [1], () => 1, Symbol('x'), new Date(0)]) {
    const { pinos, ours } = writeBoth({ ...facts, milliseconds: 0.1 + 0.2, notes: { value, model: 'm' } })
    expect(ours).toBe(pinos)
  }
})

test('members keep their order, and no line is written at a level above info', () => {
  const notes = { team_id: 'red', key_name: 'ci', model: 'mm-2.5-flash', outcome: 'completed', items: 3 }
  const { pinos, ours } = writeBoth({ ...facts, notes })
  expect(ours).toBe(pinos)
  expect(writeBoth({ ...facts, notes }, 'warn')).toEqual({ pinos: '', ours: '' })
})
