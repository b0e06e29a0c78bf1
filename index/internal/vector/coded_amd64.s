// The product of a query with a row that is given by its codes. It computes exactly what
// unpack and dot compute one after the other; TestCoded holds them together.

#include "textflag.h"

DATA whole<>+0(SB)/8, $-8.0
DATA whole<>+8(SB)/8, $-7.0
DATA whole<>+16(SB)/8, $-6.0
DATA whole<>+24(SB)/8, $-5.0
DATA whole<>+32(SB)/8, $-4.0
DATA whole<>+40(SB)/8, $-3.0
DATA whole<>+48(SB)/8, $-2.0
DATA whole<>+56(SB)/8, $-1.0
DATA whole<>+64(SB)/8, $0.0
DATA whole<>+72(SB)/8, $1.0
DATA whole<>+80(SB)/8, $2.0
DATA whole<>+88(SB)/8, $3.0
DATA whole<>+96(SB)/8, $4.0
DATA whole<>+104(SB)/8, $5.0
DATA whole<>+112(SB)/8, $6.0
DATA whole<>+120(SB)/8, $7.0
GLOBL whole<>(SB), RODATA|NOPTR, $128

// The row of eight bytes at some place: what each of the 16 codes is worth stands in two
// registers, so that a code is looked up and not converted. The number is rounded to
// float32, as a row has it.
#define LOW(place, sum) \
	VPMOVZXBQ   place(DX), Z2;      \
	VPMOVZXBQ   place(SI), Z3;      \
	VPERMI2PD   Z29, Z28, Z2;       \
	VPERMI2PD   Z31, Z30, Z3;       \
	VADDPD      Z3, Z2, Z2;         \
	VCVTPD2PS   Z2, Y2;             \
	VCVTPS2PD   Y2, Z2;             \
	VFMADD231PD (place*8)(DI), Z2, sum

#define HIGH(place, sum) \
	VPMOVZXBQ   place(DX), Z2;      \
	VPMOVZXBQ   place(SI), Z3;      \
	VPSRLQ      $4, Z2, Z2;         \
	VPSRLQ      $4, Z3, Z3;         \
	VPERMI2PD   Z29, Z28, Z2;       \
	VPERMI2PD   Z31, Z30, Z3;       \
	VADDPD      Z3, Z2, Z2;         \
	VCVTPD2PS   Z2, Y2;             \
	VCVTPS2PD   Y2, Z2;             \
	VFMADD231PD (512+place*8)(DI), Z2, sum

// Z0 and Z1 have the same lanes in the same order as those of dotVNNI, and are added up
// as dot does it.
//
// func codedVNNI(query *float64, both *uint8, scale, fineScale float32, rounds int) float64
TEXT ·codedVNNI(SB), NOSPLIT, $0-40
	MOVQ         query+0(FP), DI
	MOVQ         both+8(FP), SI
	VBROADCASTSS scale+16(FP), X4
	VBROADCASTSS fineScale+20(FP), X5
	VCVTSS2SD    X4, X4, X4
	VCVTSS2SD    X5, X5, X5
	VBROADCASTSD X4, Z4
	VBROADCASTSD X5, Z5
	VMULPD       whole<>+0(SB), Z4, Z28
	VMULPD       whole<>+64(SB), Z4, Z29
	VMULPD       whole<>+0(SB), Z5, Z30
	VMULPD       whole<>+64(SB), Z5, Z31
	MOVQ         rounds+24(FP), CX
	MOVQ         CX, DX
	SHLQ         $6, DX
	ADDQ         SI, DX
	VPXORQ       Z0, Z0, Z0
	VPXORQ       Z1, Z1, Z1

round:
	LOW(0, Z0)
	LOW(8, Z1)
	LOW(16, Z0)
	LOW(24, Z1)
	LOW(32, Z0)
	LOW(40, Z1)
	LOW(48, Z0)
	LOW(56, Z1)
	HIGH(0, Z0)
	HIGH(8, Z1)
	HIGH(16, Z0)
	HIGH(24, Z1)
	HIGH(32, Z0)
	HIGH(40, Z1)
	HIGH(48, Z0)
	HIGH(56, Z1)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $1024, DI
	DECQ CX
	JNZ  round

	VADDPD        Z1, Z0, Z0
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPD        Y1, Y0, Y0
	VEXTRACTF128  $1, Y0, X1
	VADDPD        X1, X0, X0
	VUNPCKHPD     X0, X0, X1
	VADDSD        X1, X0, X0
	VMOVSD        X0, ret+32(FP)
	VZEROUPPER
	RET
