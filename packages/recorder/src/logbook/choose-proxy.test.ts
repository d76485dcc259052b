// Which way a request goes, by the variables that people set for curl and git.
import { expect, test } from 'bun:test'
import { chooseRoute } from './choose-proxy.ts'

const proxy = 'http://proxy.example:3128'

test.each<[string, string, Record<string, string>, string]>([
  ['nothing is set', 'https://log.example.org', {}, 'direct'],
  ['by scheme', 'https://log.example.org', { HTTPS_PROXY: proxy }, proxy],
  ['the other scheme', 'http://log.example.org', { HTTPS_PROXY: proxy }, 'direct'],
  ['for all', 'http://log.example.org', { ALL_PROXY: proxy }, proxy],
  ['small letters win', 'http://log.example.org', { http_proxy: proxy, HTTP_PROXY: 'http://other' }, proxy],
  ['an empty one is none', 'http://log.example.org', { http_proxy: '', HTTP_PROXY: proxy }, 'direct'],
  ['without a scheme', 'http://log.example.org', { http_proxy: 'proxy.example:3128' }, proxy],
  ['of an unknown kind', 'http://log.example.org', { http_proxy: 'socks5://proxy.example' }, 'unusable'],
  ['no address', 'http://log.example.org', { http_proxy: 'http://:::' }, 'unusable'],
  ['this machine by name', 'http://localhost:4001', { http_proxy: proxy }, 'direct'],
  ['this machine by number', 'http://127.0.0.1:4001', { http_proxy: proxy }, 'direct'],
  ['this machine, version 6', 'http://[::1]:4001', { http_proxy: proxy }, 'direct'],
  ...[
    ['*', 'direct'],
    ['log.example.org', 'direct'],
    ['example.org', 'direct'],
    ['.example.org', 'direct'],
    ['*.example.org', 'direct'],
    ['a.org, EXAMPLE.org', 'direct'],
    ['log.example.org:443', 'direct'],
    ['log.example.org:8443', proxy],
    ['ample.org', proxy],
    ['', proxy],
  ].map(([list = '', way = '']): [string, string, Record<string, string>, string] => [
    `NO_PROXY ${list}`,
    'https://log.example.org',
    { HTTPS_PROXY: proxy, NO_PROXY: list },
    way,
  ]),
  ['a range', 'https://10.1.2.3', { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/8' }, 'direct'],
  ['outside of it', 'https://11.1.2.3', { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/8' }, proxy],
  ['a range, version 6', 'https://[fd00::1]', { HTTPS_PROXY: proxy, NO_PROXY: 'fd00::/8' }, 'direct'],
  ['one address', 'https://10.1.2.3', { HTTPS_PROXY: proxy, NO_PROXY: '10.1.2.3' }, 'direct'],
  ['a range that is none', 'https://10.1.2.3', { HTTPS_PROXY: proxy, NO_PROXY: '10.0.0.0/99' }, proxy],
])('%s: %s', (_, target, environment, way) => {
  const route = chooseRoute(new URL(target), environment)
  expect(route.kind === 'proxy' ? route.proxy.origin : route.kind).toBe(way)
})
