import { useState } from 'preact/hooks'
import { announce } from '../../shell/announce.ts'
import { navigate, type PageRoute } from '../../shell/router.ts'
import { ActionButton, Block, Field, Form, Page } from '../../ui/components.tsx'
import { useQuery } from '../../ui/use-query.ts'
import { callAuth, type SignInOptions } from './auth.ts'
import words from './words/en.ts'

interface SignedInProps {
  readonly onSignedIn: () => Promise<unknown>
}

const titles = { in: words.signIn, up: words.signUp, factor: words.twoFactor, forgot: words.forgot }

/**
 * Shown to visitors who are not signed in: sign-in forms, or a form for a new password if they followed a link in an
 * email. If the link has expired, or signing in with another service failed, the query has an error.
 */
export function SignedOutPage({ route, onSignedIn }: SignedInProps & { readonly route: PageRoute }) {
  const token = route.query.get('token')
  const [step, setStep] = useState<keyof typeof titles>('in')
  const [notice, setNotice] = useState<string>()
  const showNotice = (text: string) => {
    setNotice(text)
    announce(text)
  }
  if (token) return <NewPassword token={token} />
  const linkError = route.query.get('error')?.toUpperCase()
  const isAboutAccount = step === 'in' || step === 'up'
  return (
    <Page title={titles[step]} {...(isAboutAccount && { lead: words.whyAccount })}>
      {notice && <p class="notice">{notice}</p>}
      {linkError && !notice && (
        <p class="notice problem" role="alert">
          {linkError.includes('TOKEN') ? words.errors['INVALID_TOKEN'] : words.signInFailed}
        </p>
      )}
      {step === 'in' && <SignIn onSignedIn={onSignedIn} onTwoFactor={() => setStep('factor')} />}
      {step === 'factor' && <TwoFactorForm onSignedIn={onSignedIn} />}
      {step === 'up' && <SignUp onSignedIn={onSignedIn} onEmailSent={() => showNotice(words.emailSent)} />}
      {step === 'forgot' && <ForgotPassword onSent={() => showNotice(words.resetSent)} />}
      <p class="row">
        {step !== 'in' && (
          <button type="button" class="link" onClick={() => setStep('in')}>
            {words.signIn}
          </button>
        )}
        {step !== 'up' && (
          <button type="button" class="link" onClick={() => setStep('up')}>
            {words.signUp}
          </button>
        )}
        {step !== 'forgot' && (
          <button type="button" class="link" onClick={() => setStep('forgot')}>
            {words.forgot}
          </button>
        )}
      </p>
    </Page>
  )
}

const Email = () => (
  <Field label={words.email}>
    {(ids) => <input {...ids} name="email" type="email" required autocomplete="username" />}
  </Field>
)

const Password = (props: { readonly label: string; readonly isNew?: boolean; readonly name?: string }) => (
  <Field label={props.label} hint={props.isNew ? words.passwordHint : undefined}>
    {(ids) => (
      <input
        {...ids}
        name={props.name ?? 'password'}
        type="password"
        required
        minLength={props.isNew ? 10 : undefined}
        autocomplete={props.isNew ? 'new-password' : 'current-password'}
      />
    )}
  </Field>
)

function SignIn({ onSignedIn, onTwoFactor }: SignedInProps & { readonly onTwoFactor: () => void }) {
  const options = useQuery('auth options', () => callAuth<SignInOptions>('options', undefined, 'GET'))
  const submit = async (formData: FormData) => {
    const { twoFactorRedirect } = await callAuth<{ twoFactorRedirect?: boolean }>('sign-in/email', {
      email: formData.get('email'),
      password: formData.get('password'),
    })
    if (twoFactorRedirect) onTwoFactor()
    else await onSignedIn()
  }
  return (
    <>
      <Form submitLabel={words.signIn} action={submit}>
        <Email />
        <Password label={words.password} />
      </Form>
      {options.data?.providers.map(({ id, name }) => (
        <ActionButton
          key={id}
          label={words.signInWith(name)}
          action={async () => {
            const { url } = await callAuth<{ url: string }>('sign-in/social', {
              provider: id,
              callbackURL: '/account',
            })
            location.assign(url)
          }}
        />
      ))}
    </>
  )
}

function TwoFactorForm({ onSignedIn }: SignedInProps) {
  const submit = async (formData: FormData) => {
    const code = String(formData.get('code')).replace(/\s/g, '')
    const isTotp = /^\d{6}$/.test(code)
    await callAuth(isTotp ? 'two-factor/verify-totp' : 'two-factor/verify-backup-code', { code })
    await onSignedIn()
  }
  return (
    <Form submitLabel={words.signIn} action={submit}>
      <Field label={words.code} hint={words.codeHint}>
        {(ids) => <input {...ids} name="code" type="text" required autocomplete="one-time-code" />}
      </Field>
    </Form>
  )
}

function SignUp({ onSignedIn, onEmailSent }: SignedInProps & { readonly onEmailSent: () => void }) {
  const submit = async (formData: FormData) => {
    const { token } = await callAuth<{ token: string | null }>('sign-up/email', {
      name: formData.get('name'),
      email: formData.get('email'),
      password: formData.get('password'),
      callbackURL: '/account',
    })
    if (token) await onSignedIn()
    else onEmailSent()
  }
  return (
    <Form submitLabel={words.signUp} action={submit}>
      <Field label={words.name}>
        {(ids) => <input {...ids} name="name" type="text" required autocomplete="name" />}
      </Field>
      <Email />
      <Password label={words.password} isNew />
    </Form>
  )
}

function ForgotPassword({ onSent }: { readonly onSent: () => void }) {
  const submit = async (formData: FormData) => {
    await callAuth('request-password-reset', { email: formData.get('email'), redirectTo: '/account' })
    onSent()
  }
  return (
    <Form submitLabel={words.sendEmail} action={submit}>
      <Email />
    </Form>
  )
}

function NewPassword({ token }: { readonly token: string }) {
  const submit = async (formData: FormData) => {
    await callAuth('reset-password', { newPassword: formData.get('password'), token })
    announce(words.passwordChanged)
    navigate('/account', { replace: true })
  }
  return (
    <Page title={words.newPassword}>
      <Form submitLabel={words.changePassword} action={submit}>
        <Password label={words.newPassword} isNew />
      </Form>
    </Page>
  )
}

export function ChangePassword() {
  const changePassword = async (formData: FormData) => {
    await callAuth('change-password', {
      currentPassword: formData.get('current'),
      newPassword: formData.get('next'),
      revokeOtherSessions: true,
    })
    announce(words.passwordChanged)
  }
  return (
    <Block title={words.changePassword}>
      <Form submitLabel={words.changePassword} action={changePassword} isQuiet>
        <Password label={words.currentPassword} name="current" />
        <Password label={words.newPassword} name="next" isNew />
      </Form>
    </Block>
  )
}
