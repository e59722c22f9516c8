// Run by `npm run test:aws`.
import { test } from 'node:test'
import { runDynamoDbKillRounds } from './kill-rounds.ts'

test('DynamoDB loses no acknowledged write when it is killed 200 times while eight clients write', async (t) => {
  t.diagnostic(await runDynamoDbKillRounds(t, 200))
})
