// Arithmetic of a panel: examples that a head judge can check by hand, and properties.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { planCoverage } from './plan-coverage.ts'

const size = {
  teams: 60,
  minutes: Array(40).fill(120),
  minutesPerTeam: 12,
  judgesPerTeam: 5,
  hasCalibration: false,
}

test('40 judges with two hours each give 60 teams six judgements', () => {
  expect(planCoverage(size)).toEqual({
    teams: 60,
    judges: 40,
    places: 400,
    isFull: false,
    judgementsPerTeam: 6,
    isEnough: true,
    minutesNeeded: 96,
    judgesNeeded: 30,
  })
})

test('the calibration team takes a place of each judge, and is not dealt', () => {
  const plan = planCoverage({ ...size, hasCalibration: true })
  expect(plan).toMatchObject({
    teams: 59,
    places: 360,
    judgementsPerTeam: 6,
    minutesNeeded: 108,
    judgesNeeded: 33,
  })
})

test('a small event is judged by everybody', () => {
  const plan = planCoverage({ ...size, teams: 10, minutes: [120, 150, 200], judgesPerTeam: 3 })
  expect(plan).toMatchObject({ isFull: true, places: 30, judgementsPerTeam: 3, isEnough: true })
})

test('nothing is possible without judges, teams or time', () => {
  expect(planCoverage({ ...size, minutes: [] })).toMatchObject({
    judgementsPerTeam: 0,
    minutesNeeded: null,
    judgesNeeded: null,
  })
  expect(planCoverage({ ...size, minutes: Array(40).fill(11) })).toMatchObject({
    places: 0,
    judgesNeeded: null,
  })
  expect(planCoverage({ ...size, teams: 0 })).toMatchObject({ judgementsPerTeam: 0, isEnough: false })
})

test('the minutes and the judges that it asks for are enough', () => {
  const sizes = fc.record({
    teams: fc.integer({ min: 1, max: 200 }),
    minutes: fc.array(fc.integer({ min: 0, max: 600 }), { minLength: 1, maxLength: 60 }),
    minutesPerTeam: fc.integer({ min: 1, max: 60 }),
    judgesPerTeam: fc.integer({ min: 1, max: 8 }),
    hasCalibration: fc.boolean(),
  })
  fc.assert(
    fc.property(sizes, given => {
      const { minutesNeeded, judgesNeeded, teams, judges } = planCoverage(given)
      if (teams === 0) return
      if (minutesNeeded !== null)
        expect(planCoverage({ ...given, minutes: Array(judges).fill(minutesNeeded) }).isEnough).toBe(true)
      const usual = given.minutes.toSorted((a, b) => a - b)[Math.floor(judges / 2)] ?? 0
      if (judgesNeeded !== null)
        expect(planCoverage({ ...given, minutes: Array(judgesNeeded).fill(usual) }).isEnough).toBe(true)
    }),
  )
})
