# perl launch.pl KEY=VALUE… -- PROGRAM ARGUMENTS…: drops all privileges that an engine does not need, then executes the
# program. Written in Perl because a C program would need a compiler on every machine, and perl-base is always installed
# on Debian. Loads no modules, since each would take as long as the whole start. lib/engines/sandbox/launch-command.ts
# creates the arguments. Exits if a privilege cannot be dropped. System call numbers are those of x86-64.
my (%one, @limits, @paths);
while (@ARGV and (my $word = shift) ne '--') {
  my ($key, $value) = split /=/, $word, 2;
  if ($key eq 'limit') { push @limits, $value } elsif ($key =~ /^\d+$/) { push @paths, [$key, $value] } else { $one{$key} = $value }
}

sub must { my ($what, $result) = @_; $result != -1 or die "launch: $what: $!\n"; $result }

if (my $uid = $one{uid}) {
  must('setgroups', syscall 116, 0, 0);
  must('setresgid', syscall 119, $uid + 0, $uid + 0, $uid + 0);
  must('setresuid', syscall 117, $uid + 0, $uid + 0, $uid + 0);
}

# prlimit64: sets the requested limit, or the hard limit if that is lower (as for processes on Lambda).
for (@limits) {
  my ($resource, $wanted) = split /:/;
  my $old = "\0" x 16;
  must('prlimit', syscall 302, 0, $resource + 0, 0, $old);
  my $hard = (unpack 'Q2', $old)[1];
  my $limit = $wanted < $hard ? $wanted : $hard;
  must("limit $resource", syscall 302, 0, $resource + 0, pack('Q2', $limit, $limit), 0);
}

# close_range, since Linux 5.9. Without it, the service's own descriptors are still closed at exec.
syscall 436, $one{fds} + 0, 0xffffffff, 0 if $one{fds};

if ($one{landlock} or $one{filter}) {
  # prctl(PR_SET_NO_NEW_PRIVS), which both require. Some hosts refuse to set it again if it is already set.
  if (syscall(157, 38, 1, 0, 0, 0) == -1) {
    my $why = $!;
    open my $status, '<', '/proc/self/status';
    grep /^NoNewPrivs:\t1/, <$status> or die "launch: no_new_privs: $why\n";
  }
}

# Landlock: allows only the listed paths, each with its rights as far as this kernel supports them.
if ($one{landlock}) {
  my $abi = must('Landlock', syscall 444, 0, 0, 1);
  my $known = (1 << ($abi < 2 ? 13 : $abi < 3 ? 14 : $abi < 5 ? 15 : 16)) - 1;
  # Rights of files, then (from ABI 4) TCP, then (from ABI 6) signals and abstract sockets. The last two are never
  # granted.
  my $handled = pack 'Q3', $known, ($abi < 4 ? 0 : 3), ($abi < 6 ? 0 : 3);
  my $rules = must('Landlock', syscall 444, $handled, ($abi < 4 ? 8 : $abi < 6 ? 16 : 24), 0);
  for (@paths) {
    my ($rights, $path) = @$_;
    # O_PATH | O_CLOEXEC. A path that does not exist needs no rule.
    my $fd = syscall 2, $path, 0x280000;
    next if $fd == -1;
    # Rights that apply to files: execute, write, read, truncate, ioctl.
    my $fitting = -d $path ? $known : $known & 0xc007;
    must("Landlock rule of $path", syscall 445, $rules, 1, pack('Ql', $rights & $fitting, $fd), 0);
    syscall 3, $fd;
  }
  must('Landlock', syscall 446, $rules, 0);
  syscall 3, $rules;
}

# seccomp comes last, as it refuses some of the calls above. Replaces the placeholder in the filter with the own pid.
if (my $filter = $one{filter}) {
  $filter = pack 'H*', $filter;
  my ($mark, $pid) = (pack('L', 0x4f574e50), pack 'L', $$);
  $filter =~ s/\Q$mark\E/$pid/g;
  my $program = pack 'Sx6P', length($filter) / 8, $filter;
  must('seccomp', syscall 317, 1, 0, $program);
}

exec { $ARGV[0] } @ARGV or die "launch: $ARGV[0]: $!\n";
