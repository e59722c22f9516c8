import 'cronstrue/locales/pt_BR.js'
import { pluralIn } from '../../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('pt-BR')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Fluxos de trabalho',
  lead: 'Pipelines agendados.',
  none: 'Ainda não há fluxos de trabalho.',
  create: 'Novo fluxo de trabalho',
  edit: 'Editar fluxo de trabalho',
  save: 'Salvar alterações',
  saved: 'Salvo.',
  createButton: 'Criar fluxo de trabalho',
  created: 'Fluxo de trabalho criado.',
  name: 'Nome',
  cron: 'Agendamento',
  cronHint: 'Minuto, hora, dia do mês, mês, dia da semana',
  notCron: 'Digite cinco campos, por exemplo 0 3 * * *',
  timezone: 'Fuso horário',
  nextRuns: (zone) => `Próximas execuções (${zone}):`,
  overlap: 'Se a execução anterior ainda não terminou',
  overlaps: { skip: 'Pular a nova execução', queue: 'Esperar por ela', 'cancel-previous': 'Cancelá-la' },
  tasks: 'Tarefas',
  tasksHint: 'Mesmo formato de POST /v1/jobs; os arquivos devem vir de uma URL ou de um armazenamento.',
  notJson: (reason) => `Este JSON não é válido: ${reason}`,
  state: 'Status',
  on: 'ativado',
  off: 'desativado',
  paused: 'desativado após falhas',
  failures: (count) =>
    count === 1
      ? 'a última execução falhou'
      : `as últimas ${plural(count, 'execução', 'execuções')} falharam`,
  next: 'Próxima execução',
  last: 'Última execução',
  runNow: 'Executar agora',
  started: 'Iniciado.',
  switchOn: 'Ativar',
  switchOff: 'Desativar',
  remove: 'Excluir',
  removeConfirm: 'Ele não será mais executado.',
  removed: 'Fluxo de trabalho excluído.',
  toAll: 'Todos os fluxos de trabalho',
  refresh: 'Atualizar',
  runs: 'Execuções',
  noRuns: 'Ainda não há execuções.',
  due: 'Agendada para',
  ended: 'Término',
  trigger: 'Iniciada por',
  triggers: { schedule: 'agendamento', request: 'solicitação manual' },
  job: 'Trabalho',
  statuses: {
    waiting: 'aguardando',
    running: 'em execução',
    completed: 'concluída',
    failed: 'com falha',
    cancelled: 'cancelada',
    skipped: 'pulada',
  },
}

export default words
