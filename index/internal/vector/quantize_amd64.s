// The inner loops of quantize. Each computes exactly what its plain form in quantize.go
// computes; TestQuantizeKernels holds them together.

#include "textflag.h"

DATA seven<>+0(SB)/8, $7.0
DATA seven<>+8(SB)/8, $-7.0
GLOBL seven<>(SB), RODATA|NOPTR, $16

// func greatestAVX2(v *float32, rounds int) uint32
TEXT ·greatestAVX2(SB), NOSPLIT, $0-20
	MOVQ         v+0(FP), SI
	MOVQ         rounds+8(FP), CX
	MOVL         $0x7fffffff, AX
	VMOVD        AX, X2
	VPBROADCASTD X2, Y2
	VPXOR        Y0, Y0, Y0
	VPXOR        Y1, Y1, Y1

sixteen:
	VPAND   (SI), Y2, Y3
	VPAND   32(SI), Y2, Y4
	VPMAXUD Y3, Y0, Y0
	VPMAXUD Y4, Y1, Y1
	ADDQ    $64, SI
	DECQ    CX
	JNZ     sixteen

	VPMAXUD      Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPMAXUD      X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPMAXUD      X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPMAXUD      X1, X0, X0
	VMOVD        X0, AX
	MOVL         AX, ret+16(FP)
	VZEROUPPER
	RET

// Y0 to Y2 hold the sums of x, Y3 to Y5 those of y, Y13 to Y15 the steps. The sums are
// exact, so neither their order nor fusing changes a bit.
//
// func fitFMA(x, y *[3]float64, v *float32, steps *[3]float64, rounds int)
TEXT ·fitFMA(SB), NOSPLIT, $0-40
	MOVQ         x+0(FP), DI
	MOVQ         y+8(FP), R8
	MOVQ         v+16(FP), SI
	MOVQ         steps+24(FP), DX
	MOVQ         rounds+32(FP), CX
	VBROADCASTSD (DX), Y13
	VBROADCASTSD 8(DX), Y14
	VBROADCASTSD 16(DX), Y15
	VBROADCASTSD seven<>+0(SB), Y11
	VBROADCASTSD seven<>+8(SB), Y12
	VXORPD       Y0, Y0, Y0
	VXORPD       Y1, Y1, Y1
	VXORPD       Y2, Y2, Y2
	VXORPD       Y3, Y3, Y3
	VXORPD       Y4, Y4, Y4
	VXORPD       Y5, Y5, Y5
	SHLQ         $2, CX             // four numbers at a time

four:
	VCVTPS2PD   (SI), Y6
	VMULPD      Y13, Y6, Y7
	VMULPD      Y14, Y6, Y8
	VMULPD      Y15, Y6, Y9
	VROUNDPD    $0, Y7, Y7
	VROUNDPD    $0, Y8, Y8
	VROUNDPD    $0, Y9, Y9
	VMINPD      Y11, Y7, Y7
	VMINPD      Y11, Y8, Y8
	VMINPD      Y11, Y9, Y9
	VMAXPD      Y12, Y7, Y7
	VMAXPD      Y12, Y8, Y8
	VMAXPD      Y12, Y9, Y9
	VFMADD231PD Y6, Y7, Y0
	VFMADD231PD Y6, Y8, Y1
	VFMADD231PD Y6, Y9, Y2
	VFMADD231PD Y7, Y7, Y3
	VFMADD231PD Y8, Y8, Y4
	VFMADD231PD Y9, Y9, Y5
	ADDQ        $16, SI
	DECQ        CX
	JNZ         four

	VEXTRACTF128 $1, Y0, X6
	VADDPD       X6, X0, X0
	VPERMILPD    $1, X0, X6
	VADDSD       X6, X0, X0
	VMOVSD       X0, (DI)
	VEXTRACTF128 $1, Y1, X6
	VADDPD       X6, X1, X1
	VPERMILPD    $1, X1, X6
	VADDSD       X6, X1, X1
	VMOVSD       X1, 8(DI)
	VEXTRACTF128 $1, Y2, X6
	VADDPD       X6, X2, X2
	VPERMILPD    $1, X2, X6
	VADDSD       X6, X2, X2
	VMOVSD       X2, 16(DI)
	VEXTRACTF128 $1, Y3, X6
	VADDPD       X6, X3, X3
	VPERMILPD    $1, X3, X6
	VADDSD       X6, X3, X3
	VMOVSD       X3, (R8)
	VEXTRACTF128 $1, Y4, X6
	VADDPD       X6, X4, X4
	VPERMILPD    $1, X4, X6
	VADDSD       X6, X4, X4
	VMOVSD       X4, 8(R8)
	VEXTRACTF128 $1, Y5, X6
	VADDPD       X6, X5, X5
	VPERMILPD    $1, X5, X6
	VADDSD       X6, X5, X5
	VMOVSD       X5, 16(R8)
	VZEROUPPER
	RET

// Y13 holds the step, Y14 the scale.
//
// func splitFMA(dst *int8, rest, v *float32, step, scale float64, rounds int)
TEXT ·splitFMA(SB), NOSPLIT, $0-48
	MOVQ         dst+0(FP), DI
	MOVQ         rest+8(FP), DX
	MOVQ         v+16(FP), SI
	VBROADCASTSD step+24(FP), Y13
	VBROADCASTSD scale+32(FP), Y14
	MOVQ         rounds+40(FP), CX
	VBROADCASTSD seven<>+0(SB), Y11
	VBROADCASTSD seven<>+8(SB), Y12

sixteen:
	VCVTPS2PD    (SI), Y0
	VCVTPS2PD    16(SI), Y1
	VCVTPS2PD    32(SI), Y2
	VCVTPS2PD    48(SI), Y3
	VMULPD       Y13, Y0, Y4
	VMULPD       Y13, Y1, Y5
	VMULPD       Y13, Y2, Y6
	VMULPD       Y13, Y3, Y7
	VROUNDPD     $0, Y4, Y4
	VROUNDPD     $0, Y5, Y5
	VROUNDPD     $0, Y6, Y6
	VROUNDPD     $0, Y7, Y7
	VMINPD       Y11, Y4, Y4
	VMINPD       Y11, Y5, Y5
	VMINPD       Y11, Y6, Y6
	VMINPD       Y11, Y7, Y7
	VMAXPD       Y12, Y4, Y4
	VMAXPD       Y12, Y5, Y5
	VMAXPD       Y12, Y6, Y6
	VMAXPD       Y12, Y7, Y7
	VFNMADD231PD Y14, Y4, Y0
	VFNMADD231PD Y14, Y5, Y1
	VFNMADD231PD Y14, Y6, Y2
	VFNMADD231PD Y14, Y7, Y3
	VCVTPD2PSY   Y0, X0
	VCVTPD2PSY   Y1, X1
	VCVTPD2PSY   Y2, X2
	VCVTPD2PSY   Y3, X3
	VMOVUPS      X0, (DX)
	VMOVUPS      X1, 16(DX)
	VMOVUPS      X2, 32(DX)
	VMOVUPS      X3, 48(DX)
	VCVTPD2DQY   Y4, X4
	VCVTPD2DQY   Y5, X5
	VCVTPD2DQY   Y6, X6
	VCVTPD2DQY   Y7, X7
	VPACKSSDW    X5, X4, X4
	VPACKSSDW    X7, X6, X6
	VPACKSSWB    X6, X4, X4
	VMOVDQU      X4, (DI)
	ADDQ         $64, SI
	ADDQ         $64, DX
	ADDQ         $16, DI
	DECQ         CX
	JNZ          sixteen
	VZEROUPPER
	RET
