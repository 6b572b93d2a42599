package io.millrace.testing;

import static java.util.stream.Collectors.joining;

import java.io.IOException;
import java.lang.module.ModuleReference;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedTypeVariable;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What others can compile against in a module, as lines of text in a stable order: each type of an exported
/// package, and its members indented below it.
///
/// Exported types and those of `java.lang` go by their simple names; the package of any other is written out,
/// which is what makes a type that leaks from an unexported package stand out.
final class PublicSurface {
    private static final Set<String> OF_EVERY_OBJECT = Set.of("equals", "hashCode", "toString");

    private final ModuleReference reference;
    private final Module module;

    /// Its own packages, and those of ours that whoever uses it can see, too.
    private final Set<String> visible;

    PublicSurface(Module module) {
        this.module = module;
        this.reference = module.getLayer()
                .configuration()
                .findModule(module.getName())
                .orElseThrow()
                .reference();
        this.visible = module.getLayer().modules().stream()
                .filter(other -> other == module || (module.canRead(other) && isOurs(other)))
                .flatMap(PublicSurface::exported)
                .collect(Collectors.toSet());
    }

    private static boolean isOurs(Module module) {
        return module.isNamed() && module.getName().startsWith("io.millrace.");
    }

    private static Stream<String> exported(Module module) {
        return module.getDescriptor().exports().stream()
                .filter(exports -> !exports.isQualified())
                .map(exports -> exports.source());
    }

    List<String> lines() throws IOException {
        var lines = new ArrayList<String>();
        for (var name : exported(module).sorted().toList()) {
            lines.add("package " + name);
            for (var type : types(name)) {
                lines.add("");
                lines.add(header(type));
                members(type).forEach(member -> lines.add("    " + member));
            }
            lines.add("");
        }
        return lines;
    }

    /// The public types of a package, from where the module's own classes are, a folder or a jar: the tests' are
    /// elsewhere.
    private List<Class<?>> types(String packageName) throws IOException {
        var folder = packageName.replace('.', '/') + "/";
        try (var reader = reference.open();
                var files = reader.list()) {
            return files.filter(file -> file.startsWith(folder) && file.indexOf('/', folder.length()) < 0)
                    .map(file -> file.substring(folder.length()))
                    .filter(name -> name.endsWith(".class") && !name.equals("package-info.class"))
                    .map(name -> type(packageName + "." + name.substring(0, name.length() - ".class".length())))
                    .filter(PublicSurface::isAccessible)
                    .sorted((a, b) -> a.getName().compareTo(b.getName()))
                    .collect(Collectors.toList());
        }
    }

    private Class<?> type(String name) {
        try {
            return Class.forName(name, false, module.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isAccessible(@Nullable Class<?> type) {
        for (; type != null; type = type.getEnclosingClass()) {
            if (type.isAnonymousClass() || type.isLocalClass() || !isAccessible(type.getModifiers())) return false;
        }
        return true;
    }

    private static boolean isAccessible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    // A type.

    private String header(Class<?> type) {
        var text = new StringBuilder(modifiers(type))
                .append(kind(type))
                .append(' ')
                .append(shortName(type));
        text.append(typeParameters(type.getTypeParameters()));
        if (type.isRecord()) {
            text.append(components(type).map(this::component).collect(joining(", ", "(", ")")));
        }
        var parent = type.getAnnotatedSuperclass();
        if (parent != null && !Set.of(Object.class, Enum.class, Record.class).contains(type.getSuperclass())) {
            text.append(" extends ").append(name(parent));
        }
        text.append(list(type.isInterface() ? " extends " : " implements ", type.getAnnotatedInterfaces()));
        if (type.isSealed()) {
            text.append(" permits ")
                    .append(Arrays.stream(type.getPermittedSubclasses())
                            .map(this::name)
                            .sorted()
                            .collect(joining(", ")));
        }
        return text.toString();
    }

    private static String modifiers(Class<?> type) {
        int implied = type.isInterface() ? Modifier.ABSTRACT | Modifier.STATIC | Modifier.INTERFACE : 0;
        if (type.isRecord() || type.isEnum()) implied = Modifier.FINAL | Modifier.STATIC;
        int kept = type.getModifiers() & ~implied & Modifier.classModifiers();
        return prefix(kept) + (type.isSealed() ? "sealed " : "");
    }

    private static String kind(Class<?> type) {
        if (type.isAnnotation()) return "@interface";
        if (type.isInterface()) return "interface";
        if (type.isRecord()) return "record";
        return type.isEnum() ? "enum" : "class";
    }

    private String component(RecordComponent component) {
        return name(component.getAnnotatedType()) + " " + component.getName();
    }

    // Its members: fields, constructors, methods, each by name.

    private Stream<String> members(Class<?> type) {
        var fields = shown(type.getDeclaredFields(), this::field);
        var constructors = shown(type.getDeclaredConstructors(), this::constructor);
        var methods = shown(type.getDeclaredMethods(), this::method);
        return Stream.of(fields, constructors, methods).flatMap(lines -> lines);
    }

    private static <M extends Member> Stream<String> shown(M[] members, Function<M, String> text) {
        record Line(String name, String text) {}
        return Arrays.stream(members)
                .filter(member -> isAccessible(member.getModifiers()) && !member.isSynthetic() && !isImplied(member))
                .map(member -> new Line(member.getName(), text.apply(member)))
                .sorted(Comparator.comparing(Line::name).thenComparing(Line::text))
                .map(Line::text);
    }

    /// What every object, enum or record has anyway.
    private static boolean isImplied(Member member) {
        var type = member.getDeclaringClass();
        return switch (member) {
            case Method method when OF_EVERY_OBJECT.contains(method.getName()) -> true;
            case Method method when type.isEnum() -> Set.of("values", "valueOf").contains(method.getName());
            case Method method
            when type.isRecord() -> components(type).anyMatch(part -> method.equals(part.getAccessor()));
            case Constructor<?> constructor
            when type.isRecord() ->
                List.of(constructor.getParameterTypes())
                        .equals(components(type).map(RecordComponent::getType).toList());
            default -> false;
        };
    }

    private static Stream<RecordComponent> components(Class<?> type) {
        return Arrays.stream(type.getRecordComponents());
    }

    private String field(Field field) {
        if (field.isEnumConstant()) return field.getName();
        return prefix(field.getModifiers()) + name(field.getAnnotatedType()) + " " + field.getName();
    }

    private String constructor(Constructor<?> constructor) {
        return prefix(constructor.getModifiers())
                + constructor.getDeclaringClass().getSimpleName()
                + signature(constructor);
    }

    private String method(Method method) {
        int modifiers = method.getModifiers() & ~(Modifier.SYNCHRONIZED | Modifier.NATIVE);
        if (method.getDeclaringClass().isInterface()) modifiers &= ~Modifier.ABSTRACT;
        var type = typeParameters(method.getTypeParameters());
        return prefix(modifiers & Modifier.methodModifiers())
                + (method.isDefault() ? "default " : "")
                + (type.isEmpty() ? "" : type + " ")
                + name(method.getAnnotatedReturnType())
                + " "
                + method.getName()
                + signature(method);
    }

    private String signature(Executable executable) {
        var parameters = parameters(Arrays.stream(executable.getAnnotatedParameterTypes()));
        if (executable.isVarArgs()) parameters = parameters.replaceFirst("\\[]\\)$", "...)");
        return parameters + list(" throws ", executable.getAnnotatedExceptionTypes());
    }

    private String parameters(Stream<AnnotatedType> types) {
        return types.map(this::name).collect(joining(", ", "(", ")"));
    }

    private String list(String before, AnnotatedType[] types) {
        return types.length == 0
                ? ""
                : before + Arrays.stream(types).map(this::name).collect(joining(", "));
    }

    /// Without `public`, which goes without saying here.
    private static String prefix(int modifiers) {
        var text = Modifier.toString(modifiers & ~Modifier.PUBLIC);
        return text.isEmpty() ? "" : text + " ";
    }

    // Names of types, with what they say about null.

    private String typeParameters(TypeVariable<?>[] variables) {
        if (variables.length == 0) return "";
        return Arrays.stream(variables).map(this::typeParameter).collect(joining(", ", "<", ">"));
    }

    private String typeParameter(TypeVariable<?> variable) {
        var bounds = Arrays.stream(variable.getAnnotatedBounds())
                .map(this::name)
                .filter(bound -> !bound.equals("Object"))
                .collect(joining(" & "));
        return variable.getName() + (bounds.isEmpty() ? "" : " extends " + bounds);
    }

    private String name(AnnotatedType type) {
        var nullable = type.isAnnotationPresent(Nullable.class) ? "@Nullable " : "";
        return switch (type) {
            case AnnotatedArrayType array -> name(array.getAnnotatedGenericComponentType()) + "[]";
            case AnnotatedParameterizedType generic -> {
                var raw = (Class<?>) ((java.lang.reflect.ParameterizedType) generic.getType()).getRawType();
                var arguments = Arrays.stream(generic.getAnnotatedActualTypeArguments());
                yield nullable + name(raw) + arguments.map(this::name).collect(joining(", ", "<", ">"));
            }
            case AnnotatedWildcardType wildcard -> "?" + wildcard(wildcard);
            case AnnotatedTypeVariable variable -> nullable + variable.getType().getTypeName();
            default -> nullable + name((Class<?>) type.getType());
        };
    }

    private String wildcard(AnnotatedWildcardType type) {
        if (type.getAnnotatedLowerBounds().length > 0) return " super " + name(type.getAnnotatedLowerBounds()[0]);
        var upper = name(type.getAnnotatedUpperBounds()[0]);
        return upper.equals("Object") ? "" : " extends " + upper;
    }

    private String name(Class<?> type) {
        boolean isPlain = type.isPrimitive() || type.getPackageName().equals("java.lang");
        boolean isShort = isPlain || (visible.contains(type.getPackageName()) && isAccessible(type));
        return isShort ? shortName(type) : type.getName().replace('$', '.');
    }

    private static String shortName(Class<?> type) {
        var outer = type.getEnclosingClass();
        return outer == null ? type.getSimpleName() : shortName(outer) + "." + type.getSimpleName();
    }
}
