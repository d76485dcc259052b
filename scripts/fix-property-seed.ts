// Gives fast-check properties the same examples in every run of `npm test`, so that only a change's own faults fail it.
import fc from 'fast-check'

const { PROPERTY_SEED: asked = '20261121' } = process.env

if (asked !== 'random') fc.configureGlobal({ seed: Number(asked) })
