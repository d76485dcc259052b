// Two models, one with an alias, for tests of model names from organisers.

const models = new Map([
  ['model-1', 'model-1'],
  ['model-2', 'model-2'],
  ['fast', 'model-1'],
])

export const resolveTestModel = (name: string): string | undefined => models.get(name)
