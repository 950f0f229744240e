#include "proto/compat.h"

#include "server/gate/sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "the sandbox knows x86_64 and aarch64 only"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#endif

#define X32_BIT 0x40000000u

static const uint32_t killed[] = {
#ifdef __NR_execve
    __NR_execve,
#endif
    __NR_execveat,
    __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_kexec_load,
    __NR_init_module,
    __NR_finit_module,
    __NR_delete_module,
    __NR_bpf,
    __NR_perf_event_open,
    __NR_userfaultfd,
    __NR_mount,
    __NR_umount2,
    __NR_pivot_root,
    __NR_chroot,
    __NR_unshare,
    __NR_setns,
    __NR_add_key,
    __NR_request_key,
    __NR_keyctl,
    __NR_personality,
    __NR_reboot,
    __NR_swapon,
    __NR_swapoff,
#ifdef __NR_kexec_file_load
    __NR_kexec_file_load,
#endif
#ifdef __NR_modify_ldt
    __NR_modify_ldt,
#endif
#ifdef __NR_io_uring_setup
    __NR_io_uring_setup,
#endif
#ifdef __NR_pidfd_getfd
    __NR_pidfd_getfd,
#endif
#if !SANITIZED
    __NR_ptrace,
#endif
};

static const uint32_t refused[] = {
    __NR_socket,
    __NR_socketpair,
    __NR_connect,
    __NR_bind,
    __NR_listen,
    __NR_name_to_handle_at,
    __NR_open_by_handle_at,
    __NR_memfd_create,
    __NR_mknodat,
    __NR_linkat,
    __NR_symlinkat,
    __NR_unlinkat,
    __NR_renameat2,
    __NR_fchmodat,
    __NR_fchownat,
    __NR_mkdirat,
    __NR_truncate,
    __NR_setuid,
    __NR_setgid,
    __NR_setreuid,
    __NR_setregid,
    __NR_setresuid,
    __NR_setresgid,
#ifdef __NR_pidfd_open
    __NR_pidfd_open,
#endif
#ifdef __NR_openat2
    __NR_openat2,
#endif
#ifdef __NR_rename
    __NR_rename,
#endif
#ifdef __NR_unlink
    __NR_unlink,
#endif
#ifdef __NR_mkdir
    __NR_mkdir,
#endif
#ifdef __NR_link
    __NR_link,
#endif
#ifdef __NR_symlink
    __NR_symlink,
#endif
#ifdef __NR_chmod
    __NR_chmod,
#endif
#ifdef __NR_creat
    __NR_creat,
#endif
#if !SANITIZED
    __NR_openat,
    __NR_clone,
#ifdef __NR_clone3
    __NR_clone3,
#endif
#ifdef __NR_open
    __NR_open,
#endif
#ifdef __NR_fork
    __NR_fork,
#endif
#ifdef __NR_vfork
    __NR_vfork,
#endif
#endif
};

#define COUNT(a)   (sizeof(a) / sizeof *(a))
#define FILTER_MAX (8 + 2 * (COUNT(killed) + COUNT(refused)))

struct program {
    struct sock_filter at[FILTER_MAX];
    unsigned short len;
};

static void add(struct program *p, struct sock_filter step)
{
    p->at[p->len++] = step;
}

/* Each entry costs two steps: compare, and return `verdict` when equal. */
static void add_list(struct program *p, const uint32_t *numbers, size_t n, uint32_t verdict)
{
    for (size_t i = 0; i < n; i++) {
        add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, numbers[i], 0, 1));
        add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, verdict));
    }
}

static enum err filter_calls(void)
{
    struct program p = {.len = 0};
    struct sock_fprog prog;

    add(&p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                         offsetof(struct seccomp_data, arch)));
    add(&p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0));
    add(&p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
    add(&p,
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    add(&p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1));
    add(&p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
    add_list(&p, killed, COUNT(killed), SECCOMP_RET_KILL_PROCESS);
    add_list(&p, refused, COUNT(refused), SECCOMP_RET_ERRNO | EPERM);
    add(&p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    prog.len = p.len;
    prog.filter = p.at;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0 ? ERR_OK : ERR_SYSTEM;
}

void sandbox_raise_limits(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > SANDBOX_DESCRIPTORS
                         ? SANDBOX_DESCRIPTORS
                         : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

enum err sandbox_enter(void)
{
    struct rlimit none = {0, 0};

    if (setrlimit(RLIMIT_CORE, &none) != 0)
        return ERR_SYSTEM;
    if (!SANITIZED && prctl(PR_SET_DUMPABLE, 0) != 0)
        return ERR_SYSTEM;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return ERR_SYSTEM;
    return filter_calls();
}
