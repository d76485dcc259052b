// suite: 175 s
// Every fault of the hostile vendor on every endpoint that it affects, more than 4,000 calls. `npm test` plays each fault on one endpoint.
import { test } from 'bun:test'
import { playFaultsThatEnd, playSilentFaults } from '../testing/hostile/play-table.ts'

test('faults that end by themselves', () => playFaultsThatEnd(), 900_000)

test('faults that send almost nothing and never end', () => playSilentFaults(), 900_000)
