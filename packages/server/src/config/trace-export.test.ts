// Variables that turn the export of traces on and off.
import { expect, test } from 'bun:test'
import { buildConfig } from './config.ts'
import { readEnvironment } from './environment.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
const exportsTraces = (variables: Readonly<Record<string, string>>) =>
  buildConfig(readEnvironment(variables)).exportsTraces

test('traces are exported if a collector is named and nothing turns them off', () => {
  expect(
    [
      {},
      { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      { ...endpoint, OTEL_SDK_DISABLED: 'true' },
      { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
    ].map(exportsTraces),
  ).toEqual([false, false, false, false, false])
  expect(
    [
      endpoint,
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example/v1/traces' },
      { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf', OTEL_SDK_DISABLED: 'false' },
      { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
    ].map(exportsTraces),
  ).toEqual([true, true, true, true])
})

test('an address that is none stops the start', () => {
  expect(() => exportsTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' })).toThrow(
    'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address without query, not "collector:4318".',
  )
})
