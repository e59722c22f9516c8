import { pluralIn } from '../../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('pt-BR')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Administração',
  reliability: 'Confiabilidade',
  span: 'Período',
  lastDays: (days) => (days === 1 ? 'Hoje' : `Últimos ${plural(days, 'dia', 'dias')}`),
  success: 'Taxa de sucesso',
  rawSuccess: 'Taxa de sucesso com arquivos inválidos',
  jobs: 'Trabalhos',
  failed: 'Com falha',
  clientErrors: 'Erros do cliente',
  queueTime: (name) => `Tempo na fila, ${name}`,
  p95: '95% concluídos em até',
  byDay: 'Por dia',
  day: 'Dia',
  engines: 'Mecanismo',
  errors: 'Erros',
  count: 'Quantidade',
  share: 'Parcela das falhas',
  nothing: 'Nenhuma atividade neste período.',
  noErrors: 'Nenhuma falha.',
  toStatus: 'Status atual dos mecanismos e das filas',
  users: 'Contas',
  searchUsers: 'Buscar por nome ou e-mail',
  noUsers: 'Nenhuma conta',
  account: 'Conta',
  plan: 'Plano',
  planOf: (email) => `Plano de ${email}`,
  role: 'Função',
  roles: { USER: 'usuário', ADMIN: 'administrador' },
  state: 'Status',
  states: { active: 'ativa', suspended: 'suspensa' },
  since: 'Desde',
  change: 'Ações',
  suspend: 'Suspender',
  suspendConfirm: 'A sessão é encerrada e o acesso, bloqueado.',
  restore: 'Reativar',
  audit: 'Registro de auditoria',
  noAudit: 'Ainda não há registros.',
  when: 'Data',
  action: 'Ação',
  actor: 'Por',
  subject: 'Conta',
  diff: 'Alteração',
  older: 'Mais antigos',
  newer: 'Mais recentes',
}

export default words
