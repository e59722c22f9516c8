import { authPath } from './session-auth.ts'

/** What the reference says of signing in, whose endpoints are the library's own. */
export const accountReference = `
People sign up and in below \`${authPath}\`, by the protocol of [better-auth](https://better-auth.com), whose clients work with
\`basePath: "${authPath}"\`. Bodies and replies are JSON as that library has them, without the envelope of the other endpoints;
errors have \`code\` and \`message\`.

| Endpoint | What |
|---|---|
| \`GET ${authPath}/options\` | whether mails reach people or the log, and which providers there are |
| \`POST ${authPath}/sign-up/email\` | \`{name,email,password}\`; where mails are sent, the address is confirmed first. What the browser made before becomes the account's |
| \`POST ${authPath}/sign-in/email\` | \`{email,password}\`; with a second factor the reply is \`{twoFactorRedirect:true}\` |
| \`POST ${authPath}/sign-in/social\` | \`{provider,callbackURL}\`; leads to \`url\` |
| \`POST ${authPath}/two-factor/enable\`, \`…/verify-totp\`, \`…/verify-backup-code\`, \`…/disable\` | \`{password}\`, \`{code}\`; ten recovery codes, each for once |
| \`POST ${authPath}/request-password-reset\`, \`…/reset-password\` | \`{email,redirectTo}\`, \`{token,newPassword}\`; ends all sessions |
| \`GET ${authPath}/get-session\`, \`…/list-sessions\`, \`POST …/revoke-session\`, \`…/revoke-other-sessions\`, \`…/sign-out\` | sessions last 30 days from their last day of use |

The session is the cookie \`__Host-session\`; over plain http, as on \`localhost\`, it is called \`session\`. It counts only for pages
of the service itself: another \`Origin\` is refused with 403. Tries are limited by address (three in ten seconds) and by
account (twenty in a quarter of an hour): 429 with \`Retry-After\`. A session that is over is answered with 401 once, and the cookie
goes.
`.trim()
