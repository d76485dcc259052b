// Gives the properties of fast-check the same examples in every run of `npm test`, so that a change is judged by its own faults.
import fc from 'fast-check'

const { PROPERTY_SEED: asked = '20261121' } = process.env

if (asked !== 'random') fc.configureGlobal({ seed: Number(asked) })
