// Two models, one of which has an alias, for tests of names that organisers give.

const models = new Map([
  ['model-1', 'model-1'],
  ['model-2', 'model-2'],
  ['fast', 'model-1'],
])

export const resolveTestModel = (name: string): string | undefined => models.get(name)
