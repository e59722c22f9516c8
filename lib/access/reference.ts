import { authPath } from './session-auth.ts'

/** Text about signing in for the API reference; its endpoints are those of better-auth. */
export const accountReference = `
Users sign up and sign in with the endpoints below \`${authPath}\`, which use the protocol of [better-auth](https://better-auth.com).
Its clients work with \`basePath: "${authPath}"\`. Requests and replies are plain JSON without the envelope of the other endpoints;
errors have \`code\` and \`message\`.

| Endpoint | Description |
|---|---|
| \`GET ${authPath}/options\` | whether emails are sent or only logged, and the available providers |
| \`POST ${authPath}/sign-up/email\` | \`{name,email,password}\`; if emails are sent, the email address has to be confirmed first. Jobs that the browser created before move to the account |
| \`POST ${authPath}/sign-in/email\` | \`{email,password}\`; if a second factor is set up, the reply is \`{twoFactorRedirect:true}\` |
| \`POST ${authPath}/sign-in/social\` | \`{provider,callbackURL}\`; open the \`url\` of the reply |
| \`POST ${authPath}/two-factor/enable\`, \`…/verify-totp\`, \`…/verify-backup-code\`, \`…/disable\` | \`{password}\`, \`{code}\`; there are ten single-use recovery codes |
| \`POST ${authPath}/request-password-reset\`, \`…/reset-password\` | \`{email,redirectTo}\`, \`{token,newPassword}\`; ends all sessions of the account |
| \`GET ${authPath}/get-session\`, \`…/list-sessions\`, \`POST …/revoke-session\`, \`…/revoke-other-sessions\`, \`…/sign-out\` | sessions expire after 30 days without use |

The session cookie is \`__Host-session\`, or \`session\` over plain http, for example on \`localhost\`. It is only accepted from pages
of the service itself; requests with another \`Origin\` get 403. Sign-in attempts are limited to three in ten seconds per IP
address and twenty in 15 minutes per account; further attempts get 429 with \`Retry-After\`. A request with an expired session
gets 401 and the cookie is deleted.
`.trim()
