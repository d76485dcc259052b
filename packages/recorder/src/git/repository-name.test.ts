// The name is found in any form of address, and never contains a secret from it.
import { expect, test } from 'bun:test'
import { repositoryName } from './read-facts.ts'

test.each([
  ['https://host/team/project.git', 'project'],
  ['https://user:token@host/team/project.git/', 'project'],
  ['https://host/team/project', 'project'],
  ['git@host:team/project.git', 'project'],
  ['host:project.git', 'project'],
  ['ssh://git@host:22/team/project.git', 'project'],
  ['/srv/git/project.git', 'project'],
  ['../project', 'project'],
  ['C:\\repos\\project.git', 'project'],
  ['C:/repos/project', 'project'],
  ['file:///srv/project.git', 'project'],
  ['https://host/team/my.dotted.name.git', 'my.dotted.name'],
  ['https://user:token@host', 'host'],
  ['https://host/프로젝트.git', '프로젝트'],
])('%s', (address, name) => {
  expect(repositoryName(address)).toBe(name)
})
