import { test } from 'node:test'
import { runDynamoDbKillRounds } from './kill-rounds.ts'

test('DynamoDB keeps every acknowledged write in full when it is killed while eight clients write', async (t) => {
  t.diagnostic(await runDynamoDbKillRounds(t, 8))
})
